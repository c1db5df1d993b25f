"""Whether one more import would close a circle of imports."""

from __future__ import annotations

from collections.abc import Callable

from pdt_annotate.source.imports import parents

ImportsOf = Callable[[str], frozenset[str]]
"""The modules that a module's file imports at its top level, by dotted name; none for a module outside the project."""


def would_cycle(importer: str, imported: str, imports_of: ImportsOf) -> bool:
    """Whether importing one module from the other comes back to the importer.

    Importing `a.b` also runs the package `a`, unless the importer lies in it: then it is running already.
    """
    pending, seen = [imported], set()
    while pending:
        module = pending.pop()
        if module == importer:
            return True
        if module not in seen:
            seen.add(module)
            pending += imports_of(module)
            pending += (package for package in parents(module) if not f"{importer}.".startswith(f"{package}."))
    return False
