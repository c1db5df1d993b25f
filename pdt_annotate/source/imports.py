"""What a name in a file means: where it is defined, through imports and re-exports."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pdt_annotate.source.pages import Page, module_name_of
from pdt_annotate.source.survey import Definition, Scope

NOT_READ = sys.stdlib_module_names | {"numpy", "pytest", "torch"}
"""Packages that are imported everywhere, are large, and have nothing that a project would call its own."""

DEPTH = 12
"""Re-exports of re-exports are followed so far."""


@dataclass(frozen=True)
class Place:
    """A definition: its file, and its qualified name there."""

    file: str
    qualname: str


@dataclass(frozen=True)
class Imported:
    """What an import binds a local name to: a module, or a name in one. `star`: any name of the module."""

    module: str
    name: str = ""
    alias: str = ""

    @property
    def statement(self) -> str:
        """The statement that binds the same name again, from any file."""
        if not self.name:
            return f"import {self.module}" + (f" as {self.alias}" if self.alias != self.module.split(".")[0] else "")
        return f"from {self.module} import {self.name}" + (f" as {self.alias}" if self.alias != self.name else "")


def package_of(module: str, file: str) -> str:
    """The package that the relative imports of a module start from; "" where it is in none."""
    return module if os.path.basename(file) == "__init__.py" else module.rpartition(".")[0]


def absolute(dotted: str, package: str) -> str:
    """A dotted name without its leading dots, counted from a package; unchanged where they lead out of it."""
    name = dotted.lstrip(".")
    level = len(dotted) - len(name)
    parts = package.split(".") if package else []
    if level == 0 or level > len(parts):
        return dotted
    return ".".join([*parts[: len(parts) - level + 1], *filter(None, [name])])


def parents(module: str) -> Iterator[str]:
    """The packages that hold a module, nearest first."""
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


def imports_of(page: Page) -> dict[str, Imported]:
    """The imports anywhere in the code, by the name that they bind; a star import under "*" and its module."""
    package = package_of(module_name_of(page.file), page.file)
    return {name: imported for node in statements(page.tree) for name, imported in bound_by(node, package)}


def statements(node: ast.AST, *, at_import: bool = False) -> Iterator[ast.AST]:
    """All statements inside, and their arms, but no expression; if asked for, only those that an import of it runs."""
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.expr):
            yield inner
            if not (at_import and isinstance(inner, Definition)):
                yield from statements(inner, at_import=at_import)


def bound_by(node: ast.AST, package: str) -> Iterator[tuple[str, Imported]]:
    """What an import in a package binds, by name; nothing for another statement."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield alias.asname, Imported(alias.name, alias=alias.asname)
            else:
                top = alias.name.partition(".")[0]
                yield top, Imported(alias.name, alias=top)
    elif isinstance(node, ast.ImportFrom):
        module = absolute("." * node.level + (node.module or ""), package)
        for alias in node.names if not module.startswith(".") else ():
            name = alias.asname or alias.name
            key = f"*{module}" if alias.name == "*" else name
            yield key, Imported(module, alias.name, name)


class Files(Protocol):
    """Where modules are found: a project, or all that is on the import path."""

    def file_of(self, module: str, beside: str = "") -> str:
        """The source file of a dotted module, "" where none is found; `beside` is a folder to look in first."""

    def page(self, file: str) -> Page | None:
        """A Python file; None where it cannot be read."""


F = TypeVar("F", bound=Files)


class Names(Generic[F]):
    """Definitions by what names them; what was read of a page is kept.

    Args:
        sources: where modules are found.
    """

    def __init__(self, sources: F) -> None:
        self.sources = sources
        self._imports: dict[Page, dict[str, Imported]] = {}
        self._resolved: dict[tuple[Page, str], Place | None] = {}

    def imports(self, page: Page) -> dict[str, Imported]:
        if page not in self._imports:
            self._imports[page] = imports_of(page)
        return self._imports[page]

    def resolve(self, page: Page, dotted: str, depth: int = DEPTH) -> Place | None:
        """The definition that a dotted name in a page means; None where it is none of the sources'."""
        key = (page, dotted)
        if key not in self._resolved:
            self._resolved[key] = self._resolve(page, dotted, depth)
        return self._resolved[key]

    def _resolve(self, page: Page, dotted: str, depth: int) -> Place | None:
        first, _, rest = dotted.partition(".")
        if first in defined_in(page.tree):
            return Place(page.file, dotted)
        imports = self.imports(page)
        found = imports.get(first)
        if found is not None:
            return self._follow(page, _join(found, first, rest), depth) if depth else None
        stars = (imported.module for key, imported in imports.items() if key.startswith("*"))
        places = (self._follow(page, f"{module}.{dotted}", depth) for module in stars if depth)
        return next((place for place in places if place), None)

    def find(self, file: str, qualname: str) -> Place | None:
        """The definition that a qualified name in a file means, perhaps in another file."""
        page = self.sources.page(file)
        return self.resolve(page, qualname) if page else None

    def _follow(self, page: Page, dotted: str, depth: int) -> Place | None:
        """The longest part that is a module, then the rest in it."""
        parts = dotted.split(".")
        if parts[0] in NOT_READ:
            return None
        for cut in range(len(parts) - 1, 0, -1):
            file = self.sources.file_of(".".join(parts[:cut]), os.path.dirname(page.file))
            if file:
                inner = self.sources.page(file)
                return self.resolve(inner, ".".join(parts[cut:]), depth - 1) if inner else None
        return None


def _join(imported: Imported, first: str, rest: str) -> str:
    """The absolute dotted name of a local one. `import a.b` binds `a` alone."""
    if imported.name:
        base = f"{imported.module}.{imported.name}"
    else:
        base = first if imported.alias == imported.module.partition(".")[0] else imported.module
    return f"{base}.{rest}" if rest else base


def defined_in(tree: ast.Module) -> dict[str, ast.stmt]:
    """The names that the top of a module defines: functions, classes and plain assignments."""
    found: dict[str, ast.stmt] = {}
    for node in top_statements(tree.body):
        if isinstance(node, Scope):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
    return found


def top_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run at the top, those under `if` and `try` as well."""
    for node in body:
        yield node
        if isinstance(node, (ast.If, ast.Try, ast.With, ast.For)):
            for part in ("body", "orelse", "finalbody"):
                yield from top_statements(getattr(node, part, []))


def dotted_name(node: ast.expr) -> str:
    """`a.b.c` as text; "" for anything else."""
    if isinstance(node, ast.Attribute):
        base = dotted_name(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""
