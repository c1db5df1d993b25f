"""What the text is made from, and how values are laid out in it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.captures.exporting.plan import ExportPlan
from pdt_annotate.values.exports import Exportable, SpelledCall
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.slots import Finding

WIDTH = 100
"""Columns from which on something is broken into lines."""


@dataclass(frozen=True)
class ExportSheet:
    """All that the text is made from.

    Args:
        target: its name, for people.
        command: what made the file.
        file: where it is to lie; paths in it are relative to its folder.
        findings: what is to be known of it.
    """

    target: str
    command: str
    file: str
    exportable: Exportable
    plan: ExportPlan
    spelled: SpelledCall
    findings: tuple[Finding, ...] = ()

    def here(self, path: str) -> str:
        """A path as the file finds it, as an expression."""
        relative = named_from(path, os.path.dirname(self.file))
        return "HERE" if relative == os.curdir else f'HERE / "{relative}"'


def as_tuple(parts: Sequence[str]) -> str:
    """
    >>> as_tuple(["x"])
    '(x,)'
    """
    inside = ", ".join(parts) + ("," if len(parts) == 1 else "")
    return f"({inside})" if len(inside) < WIDTH else _broken("(", parts, ")")


def as_dict(parts: Mapping[str, str]) -> str:
    """
    >>> as_dict({"x": "None"})
    '{"x": None}'
    """
    pairs = [f'"{name}": {text}' for name, text in parts.items()]
    inside = ", ".join(pairs)
    return f"{{{inside}}}" if len(inside) < WIDTH // 2 else _broken("{", pairs, "}")


def _broken(before: str, parts: Iterable[str], after: str) -> str:
    return "\n".join((before, *(f"    {part}," for part in parts), after))
