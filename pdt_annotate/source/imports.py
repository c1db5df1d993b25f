"""The definitions of names in a file, found through imports and re-exports."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pdt_annotate.source.pages import Page, module_name_of
from pdt_annotate.source.survey import Definition, Scope

NOT_READ = sys.stdlib_module_names | {"numpy", "pytest", "torch"}
"""Packages that are imported everywhere, are large, and have nothing that a project would call its own."""


@dataclass(frozen=True)
class DefinitionPlace:
    """A definition: its file, and its qualified name there."""

    file: str
    qualname: str


@dataclass(frozen=True)
class Imported:
    """The object that an import binds a local name to: a module, or a name in one. `star`: any name of the module."""

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
    """The package that the relative imports of a module start from; "" if the module is in no package."""
    return module if _is_package(file) else module.rpartition(".")[0]


def absolute(dotted: str, package: str) -> str:
    """A dotted name without its leading dots, relative to a package; unchanged if they lead out of it."""
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
    """All statements inside, and their arms, but no expressions; with `at_import`, only the ones that run at import."""
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, ast.expr):
            yield inner
            if not (at_import and isinstance(inner, Definition)):
                yield from statements(inner, at_import=at_import)


def bound_by(node: ast.AST, package: str) -> Iterator[tuple[str, Imported]]:
    """The bindings of an import in a package, by name; nothing for another statement."""
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
    """The files that modules are found in: a project, or the whole import path."""

    def file_of(self, module: str, beside: str = "") -> str:
        """The source file of a dotted module, "" if not found; `beside` is a folder to look in first."""

    def page(self, file: str) -> Page | None:
        """A Python file; None if it cannot be read."""


F = TypeVar("F", bound=Files)

Position = tuple[int, int]  # a line and a column: of several bindings of a name the last one counts

EVERY_NAME = "*"  # among the names of an `__all__` that is computed: any may be in it


@dataclass(frozen=True)
class PageNames:
    """The meaning of the names in a page, kept in place of its tree.

    Args:
        file: the page's file.
        imports: its imports, as `imports_of` returns them.
        bound: by name, the position of its last binding at the top of the page, and its import; None for a definition.
        stars: the modules from which the top takes all names, the last in front, and their positions.
        exported: the names in `__all__`; None if there is no `__all__`.
    """

    file: str
    imports: dict[str, Imported]
    bound: dict[str, tuple[Position, Imported | None]]
    stars: tuple[tuple[Position, str], ...]
    exported: frozenset[str] | None

    def exports(self, name: str) -> bool:
        """Whether `from .page import *` takes a name, if the page has it."""
        if self.exported is None:
            return not name.startswith("_")
        return name in self.exported or EVERY_NAME in self.exported


NO_NAMES = PageNames("", {}, {}, (), None)
NOWHERE, EVERYWHERE = (0, 0), (sys.maxsize, 0)


def read_names(page: Page) -> PageNames:
    imports = imports_of(page)
    bound: dict[str, tuple[Position, Imported | None]] = {}
    for node in top_statements(page.tree.body):
        bound |= dict.fromkeys(_defined_by(node), ((node.lineno, node.col_offset), None))
    stars: list[tuple[Position, str]] = []
    if imports:
        package = package_of(module_name_of(page.file), page.file)
        for inner in statements(page.tree, at_import=True):
            for name, imported in bound_by(inner, package):
                at = (inner.lineno, inner.col_offset)  # type: ignore[attr-defined]
                if imported.name == "*":
                    stars.append((at, imported.module))
                elif name not in bound or bound[name][0] < at:
                    bound[name] = at, imported
    exported = _exported_by(page.tree) if "__all__" in bound else None
    return PageNames(page.file, imports, bound, tuple(sorted(stars, reverse=True)), exported)


def _defined_by(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, Scope):
        yield node.name
    elif isinstance(node, ast.Assign) or (isinstance(node, ast.AnnAssign) and node.value):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        stored = (inner for target in targets for inner in ast.walk(target))
        yield from (n.id for n in stored if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _exported_by(tree: ast.Module) -> frozenset[str]:
    found: set[str] = set()
    for node in top_statements(tree.body):
        values: list[ast.expr] = []
        if "__all__" in _defined_by(node):
            found.clear()
            values = [node.value]  # type: ignore[attr-defined]
        elif isinstance(node, ast.AugAssign) and dotted_name(node.target) == "__all__":
            values = [node.value]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = dotted_name(node.value.func)
            values = node.value.args if called.startswith("__all__.") else []
            values = [ast.List(values)] if called == "__all__.append" else values
        found |= {name for value in values for name in _listed(value)}
    return frozenset(found)


def _listed(value: ast.expr) -> Iterator[str]:
    """The names in a list, a tuple, or a sum of them."""
    if isinstance(value, ast.BinOp):
        yield from (*_listed(value.left), *_listed(value.right))
    elif isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        yield from (str(e.value) if isinstance(e, ast.Constant) else EVERY_NAME for e in value.elts)
    else:
        yield EVERY_NAME


Reader = str | Page  # the code that reads a name: a Python file, or a block of code in another

Question = tuple[Reader, str]


class NameResolver(Generic[F]):
    """Definitions by their names. Each page is read once, and each of its star imports is looked up once.

    A search follows the names of pages as an import of them would: of several bindings the last counts, and a circle
    adds nothing. Only the answer to the question, and names without a definition, are cached: other results on the way
    may depend on where the search began.
    """

    def __init__(self, sources: F) -> None:
        self.sources = sources
        self._names: dict[Reader, PageNames] = {}
        self._changed: dict[Reader, PageNames] = {}
        self._changes: frozenset[str] = frozenset()
        self._stars: dict[Reader, list[tuple[Position, str, str]]] = {}
        self._resolved: dict[Question, DefinitionPlace | None] = {}
        self._nowhere: set[Question] = set()

    def over(self, sources: F, changes: Iterable[str]) -> NameResolver[F]:
        """The resolver for files of which some have other sources; the names read of the others are shared."""
        other = NameResolver(sources)
        other._names = self._names
        other._changes = self._changes.union(changes)
        return other

    def find(self, reader: Reader, dotted: str) -> DefinitionPlace | None:
        """The definition that a dotted name means for a reader, perhaps in another file; None if not in the sources."""
        asked = (_same(reader), dotted)
        if asked not in self._resolved:
            self._resolved[asked] = self._search(asked)
        return self._resolved[asked]

    def names_in(self, reader: Reader) -> PageNames:
        """The names of a file; empty if it cannot be read."""
        reader = _same(reader)
        known = self._changed if reader in self._changes else self._names
        if reader not in known:
            page = self.sources.page(reader) if isinstance(reader, str) else reader
            known[reader] = read_names(page) if page else NO_NAMES
        return known[reader]

    def _search(self, asked: Question) -> DefinitionPlace | None:
        """Search depth first, through the names that each name leads to."""
        met = {asked}
        ways = [self._lead_on(*asked, is_asked=True)]
        while ways:
            found = next(ways[-1], asked)
            if found is asked:
                ways.pop()
            elif not isinstance(found, tuple):
                return found
            elif found not in met and found not in self._nowhere:
                met.add(found)
                ways.append(self._lead_on(*found))
        self._nowhere |= met - {asked}
        return None

    def _lead_on(
        self, reader: Reader, dotted: str, *, is_asked: bool = False
    ) -> Iterator[Question | DefinitionPlace | None]:
        """The possible meanings of a name, the likeliest first: a name elsewhere, a definition, None for a library."""
        names = self.names_in(reader)
        first, _, rest = dotted.partition(".")
        at, imported = names.bound.get(first, (NOWHERE, None))
        if at is NOWHERE and is_asked and first in names.imports:  # in a function
            at, imported = EVERYWHERE, names.imports[first]
        for star, module, file in self._stars_in(reader, names):
            if star < at:
                break
            inner = self.names_in(file)
            if (first in inner.bound or inner.stars) and inner.exports(first):
                yield file, dotted
            if rest and first not in inner.bound and _is_package(file):
                submodule = self.sources.file_of(f"{module}.{first}", os.path.dirname(names.file))
                yield from [(submodule, rest)] if submodule else []
        if imported:
            yield self._follow(names, imported, first, rest)
        elif at is not NOWHERE:
            yield DefinitionPlace(names.file, dotted)

    def _stars_in(self, reader: Reader, names: PageNames) -> list[tuple[Position, str, str]]:
        """The modules of the sources from which a page takes all names, and their files."""
        if reader not in self._stars:
            beside = os.path.dirname(names.file)
            modules = ((at, name) for at, name in names.stars if name.partition(".")[0] not in NOT_READ)
            found = ((at, name, self.sources.file_of(name, beside)) for at, name in modules)
            self._stars[reader] = [each for each in found if each[2]]
        return self._stars[reader]

    def _follow(self, names: PageNames, imported: Imported, first: str, rest: str) -> Question | None:
        """The longest part that is a module, then the rest in it; None if it is not in the sources."""
        if imported.name:
            base = f"{imported.module}.{imported.name}"
        else:  # `import a.b` binds `a` alone
            base = first if imported.alias == imported.module.partition(".")[0] else imported.module
        parts = f"{base}.{rest}".rstrip(".").split(".")
        for cut in range(len(parts) - 1, 0, -1) if parts[0] not in NOT_READ else ():
            file = self.sources.file_of(".".join(parts[:cut]), os.path.dirname(names.file))
            if file:
                return file, ".".join(parts[cut:])
        return None


def _same(reader: Reader) -> Reader:
    """The key of a reader. A file is read once for all readers; blocks of code in one file have names of their own."""
    return reader.file if isinstance(reader, Page) and reader.file.endswith(".py") else reader


def _is_package(file: str) -> bool:
    return os.path.basename(file) == "__init__.py"


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
    """The statements that run at the top, including those under `if` and `try`."""
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
