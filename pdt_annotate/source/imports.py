"""The definitions of names in a file, and the relatives of its classes, found through imports and re-exports."""

import ast
import contextlib
import functools
import importlib.util
import itertools
import os
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from pdt_annotate.source.definitions import Class, Function
from pdt_annotate.source.identifiers import module_name_of
from pdt_annotate.source.module import Module, load_module
from pdt_annotate.source.scopes import Reach, bindings, defined_in
from pdt_annotate.source.syntax import dotted_name
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.slots import Owner

NOT_READ = sys.stdlib_module_names | {"numpy", "pytest", "torch"}
"""Packages that are imported everywhere, are large, and have nothing that a project would call its own."""


@dataclass(frozen=True)
class DefinitionPlace:
    """A definition: its file, and its qualified name there."""

    file: str
    qualname: str


@dataclass(frozen=True, order=True)
class Import:
    """`import module`, or `from module import name`, and the name that it binds; the name "*" is any of the module."""

    module: str
    name: str
    bound: str

    @property
    def target(self) -> str:
        """The dotted name of the object. `import a.b` binds `a` alone."""
        if self.name:
            return f"{self.module}.{self.name}"
        top = self.module.partition(".")[0]
        return top if self.bound == top else self.module

    @property
    def clause(self) -> str:
        return self.name if self.name == self.bound else f"{self.name} as {self.bound}"

    @property
    def statement(self) -> str:
        """The statement that binds the same name again, from any file."""
        if self.name:
            return f"from {self.module} import {self.clause}"
        return f"import {self.module}" + (f" as {self.bound}" if self.bound != self.module.partition(".")[0] else "")


def package_of(module: str, file: str) -> str:
    """The package that the relative imports of a module start from; "" if the module is in no package."""
    return module if os.path.basename(file) == "__init__.py" else module.rpartition(".")[0]


def absolute(dotted: str, package: str) -> str:
    """A dotted name without its leading dots, relative to a package; unchanged if they lead out of it."""
    with contextlib.suppress(ImportError):
        return importlib.util.resolve_name(dotted, package)
    return dotted


def parents(module: str) -> Iterator[str]:
    while "." in module:
        module = module.rpartition(".")[0]
        yield module


def imports_of(module: Module) -> dict[str, Import]:
    """The imports anywhere in the code, by the name that they bind; a star import under "*" and its module."""
    package = package_of(module_name_of(module.file), module.file)
    return {name: imported for node, _ in module.imports for name, imported in bound_by(node, package)}


def bound_by(node: ast.AST, package: str) -> Iterator[tuple[str, Import]]:
    """The bindings of an import in a package, by name; nothing for another statement."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            name = alias.asname or alias.name.partition(".")[0]
            yield name, Import(alias.name, "", name)
    elif isinstance(node, ast.ImportFrom):
        module = absolute("." * node.level + (node.module or ""), package)
        for alias in node.names if not module.startswith(".") else ():
            name = alias.asname or alias.name
            yield f"*{module}" if alias.name == "*" else name, Import(module, alias.name, name)


class Files(Protocol):
    """The files that modules are found in: a project, or the whole import path."""

    def file_of(self, module: str, folder: str = "") -> str:
        """The source file of a dotted module, "" if not found; `folder` is searched first."""

    def module(self, file: str) -> Module | None:
        """The module in a file; None if it cannot be read."""


F = TypeVar("F", bound=Files)

Position = tuple[int, int]  # a line and a column: of several bindings of a name the last one counts

EVERY_NAME = "*"  # among the names of an `__all__` that is computed: any may be in it


@dataclass(frozen=True)
class ModuleBindings:
    """The meaning of the names of a module, kept in place of its tree."""

    file: str  # the module's file
    imports: dict[str, Import]  # its imports, as `imports_of` returns them
    # By name, the position of its last binding at the top, and its import; None for a definition.
    bound: dict[str, tuple[Position, Import | None]]
    aliases: dict[str, str]  # by name, the dotted name of an earlier binding, which the only binding assigns to it
    # The modules from which the top takes all names, the last in front, and their positions.
    stars: tuple[tuple[Position, str], ...]
    exported: frozenset[str] | None  # the names in `__all__`; None if there is no `__all__`

    def exports(self, name: str) -> bool:
        """Whether a star import takes a name of the module, if it has that name."""
        return not name.startswith("_") if self.exported is None else bool(self.exported & {name, EVERY_NAME})


NO_NAMES = ModuleBindings("", {}, {}, {}, (), None)
NOWHERE, EVERYWHERE = (0, 0), (sys.maxsize, 0)


_BINDS_NOTHING_NEW = (ast.AugAssign, ast.Delete, ast.ExceptHandler, ast.Import, ast.ImportFrom)


def read_names(module: Module) -> ModuleBindings:
    package = package_of(module_name_of(module.file), module.file)
    bound: dict[str, tuple[Position, Import | None]] = {}
    assigned: dict[str, list[str]] = defaultdict(list)
    stars: list[tuple[Position, str]] = []
    exported: set[str] = set()
    for node, reach in ((each.node, each.reach) for each in module.namespaces[0].statements):
        at = (node.lineno, node.col_offset)
        for name, imported in bound_by(node, package):
            assigned[name].append("")
            if imported.name == "*":
                stars.append((at, imported.module))
            else:
                bound[name] = at, imported
        names = [] if isinstance(node, _BINDS_NOTHING_NEW) else [name for name, _ in bindings(node)]
        bound |= dict.fromkeys(names, (at, None))
        is_plain = isinstance(node, ast.Assign) and all(isinstance(each, ast.Name) for each in node.targets)
        value = dotted_name(node.value) if isinstance(node, ast.Assign) and is_plain else ""
        for name in names:
            assigned[name].append(value if reach is Reach.ALWAYS else "")
        values: list[ast.expr] = []
        if "__all__" in names:
            exported.clear()
        if "__all__" in names or (isinstance(node, ast.AugAssign) and dotted_name(node.target) == "__all__"):
            values = [getattr(node, "value", ast.Constant(None))]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = dotted_name(node.value.func)
            values = node.value.args if called.startswith("__all__.") else []
            values = [ast.List(values)] if called == "__all__.append" else values
        exported |= {name for value in values for name in _listed(value)}
    names_in_all = frozenset(exported) if "__all__" in bound else None
    stars.sort(reverse=True)
    once = {name: each[0] for name, each in assigned.items() if len(each) == 1}
    # Names whose value has its last binding before they have their own, or has none.
    before = {name: bound.get(each.partition(".")[0], (NOWHERE, None))[0] for name, each in once.items() if each}
    aliases = {name: once[name] for name, at in before.items() if at < bound[name][0]}
    return ModuleBindings(module.file, imports_of(module), bound, aliases, tuple(stars), names_in_all)


def _listed(value: ast.expr) -> Iterator[str]:
    if isinstance(value, ast.BinOp):
        yield from (*_listed(value.left), *_listed(value.right))
    elif isinstance(value, (ast.List, ast.Tuple, ast.Set)):
        yield from (str(e.value) if isinstance(e, ast.Constant) else EVERY_NAME for e in value.elts)
    else:
        yield EVERY_NAME


Reader = str | Module  # the code that reads a name: a Python file, or a block of code in another

Question = tuple[Reader, str]

DEEPEST = 8  # parts of a dotted name


@dataclass(frozen=True)
class Alias:
    """`A = B` at the top of a module: the question for B, and the place of A, which counts if B leads nowhere."""

    question: Question
    place: DefinitionPlace


class NameResolver(Generic[F]):
    """Definitions by their names. Each module is read once, and each of its star imports is looked up once.

    A search follows the names of modules as an import of them would: of several bindings the last counts, and a circle
    adds nothing. Only the answer to the question, and names without a definition, are cached: other results on the way
    may depend on where the search began.
    """

    def __init__(self, sources: F) -> None:
        self.sources = sources
        self._names: dict[Reader, ModuleBindings] = {}
        self._changed: dict[Reader, ModuleBindings] = {}
        self._changes: frozenset[str] = frozenset()
        self._stars: dict[Reader, list[tuple[Position, str, str]]] = {}
        self._imports: dict[str, Mapping[str, Import]] = {}
        self._resolved: dict[Question, DefinitionPlace | None] = {}
        self._nowhere: set[Question] = set()

    def over(self, sources: F, changes: Iterable[str]) -> "NameResolver[F]":
        """A resolver for changed sources of these files; it reuses the names of unchanged files."""
        other = NameResolver(sources)
        other._names = self._names
        other._changes = self._changes.union(changes)
        return other

    def find(self, reader: Reader, dotted: str) -> DefinitionPlace | None:
        """The definition that a dotted name means for a reader, perhaps in another file; None if not in the sources."""
        asked = (_same(reader), dotted)
        if asked in self._resolved:
            return self._resolved[asked]
        place, fallback, met = None, None, {asked}
        ways = [self._lead_on(*asked, is_asked=True)]
        while ways:
            found = next(ways[-1], asked)
            if isinstance(found, Alias):
                fallback, found = fallback or found.place, found.question
            if found is asked:
                ways.pop()
            elif not isinstance(found, tuple):
                place = found
                break
            elif found not in met and found not in self._nowhere:
                met.add(found)
                ways.append(self._lead_on(*found))
        else:
            self._nowhere |= met - {asked}
        return self._resolved.setdefault(asked, place or fallback)

    def names_in(self, reader: Reader) -> ModuleBindings:
        """The names of a file; empty if it cannot be read."""
        reader = _same(reader)
        known = self._changed if reader in self._changes else self._names
        if reader not in known:
            module = self.sources.module(reader) if isinstance(reader, str) else reader
            known[reader] = read_names(module) if module else NO_NAMES
        return known[reader]

    def imports_in(self, file: str) -> Mapping[str, Import]:
        """The imports of a file by the names that they bind; star imports bring imports of other files."""
        if file not in self._imports:
            found: dict[str, Import | None] = {}
            ahead: list[tuple[str, list[ModuleBindings]]] = [(file, [])]
            met = {file}
            while ahead:
                reader, way = ahead.pop()
                names = self.names_in(reader)
                for name, (_, imported) in names.bound.items():
                    if all(each.exports(name) for each in way):
                        found.setdefault(name, imported)
                others = [other for _, _, other in self._stars_in(reader, names) if other not in met]
                met.update(others)
                ahead += ((other, [*way, self.names_in(other)]) for other in reversed(others))
            own = self.names_in(file).imports
            taken = {name: imported for name, imported in found.items() if imported and name not in own}
            # A further star import may hide a name with a definition of the project.
            self._imports[file] = own | {
                name: imported
                for name, imported in taken.items()
                if not (place := self.find(file, name))
                or place.file in map(self.sources.file_of, parents(imported.target))
            }
        return self._imports[file]

    def class_at(self, place: DefinitionPlace) -> Class | None:
        module = self.sources.module(place.file)
        return module.class_named(place.qualname) if module else None

    def function_at(self, place: DefinitionPlace) -> Function | None:
        module = self.sources.module(place.file)
        return module.function_named(place.qualname) if module else None

    def _lead_on(
        self, reader: Reader, dotted: str, *, is_asked: bool = False
    ) -> Iterator[Question | Alias | DefinitionPlace | None]:
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
            if rest and first not in inner.bound and os.path.basename(file) == "__init__.py":
                submodule = self.sources.file_of(f"{module}.{first}", os.path.dirname(names.file))
                yield from [(submodule, rest)] if submodule else []
        if imported:
            # The longest part that is a module, then the rest in it. A module that is no file has no known names.
            parts = f"{imported.target}.{rest}".rstrip(".").split(".")
            least = imported.module.count(".") if imported.target.startswith(imported.module) else 0
            cuts = range(len(parts) - 1, least, -1) if parts[0] not in NOT_READ else range(0)
            found = ((self.sources.file_of(".".join(parts[:cut]), os.path.dirname(names.file)), cut) for cut in cuts)
            yield next(((file, ".".join(parts[cut:])) for file, cut in found if file), None)
        elif at is not NOWHERE:
            place, meant = DefinitionPlace(names.file, dotted), names.aliases.get(first, "")
            is_short = meant and dotted.count(".") < DEEPEST  # modules that import from each other may add parts
            yield Alias((reader, f"{meant}.{rest}".rstrip(".")), place) if is_short else place

    def _stars_in(self, reader: Reader, names: ModuleBindings) -> list[tuple[Position, str, str]]:
        if reader not in self._stars:
            folder = os.path.dirname(names.file)
            modules = ((at, name) for at, name in names.stars if name.partition(".")[0] not in NOT_READ)
            found = ((at, name, self.sources.file_of(name, folder)) for at, name in modules)
            self._stars[reader] = [each for each in found if each[2]]
        return self._stars[reader]


def _same(reader: Reader) -> Reader:
    """The key of a reader. A file is read once for all readers; blocks of code in one file have names of their own."""
    return reader.file if isinstance(reader, Module) and reader.file.endswith(".py") else reader


class Sources:
    """The files of a project and of the import path; each is parsed once.

    `root` is the directory to search for usages, `path` the import path of the Python that runs them, by default ours.
    """

    def __init__(self, root: str, path: Iterable[str] | None = None) -> None:
        self.root = root
        here = os.getcwd()
        own = (here, os.path.join(here, "src"), root, os.path.join(root, "src"))
        self._path = tuple(dict.fromkeys((*own, *map(os.path.abspath, sys.path if path is None else path))))
        self.module = functools.cache(load_module)

    def file_of(self, module: str, folder: str = "") -> str:
        """The source file of a dotted module, "" if not found; `folder` is searched first."""
        path = os.path.join(*module.split("."))
        names = (f"{path}.py", os.path.join(path, "__init__.py"))
        files = (os.path.join(each, name) for each in (*filter(None, [folder]), *self._path) for name in names)
        return next(filter(os.path.isfile, files), "")


class Relatives:
    """The classes of a project or of the import path, as their source names them; they may go in circles.

    `names` follows the names of base classes through imports. If there are `classes`, only these count, also by their
    last names if no import leads to them, as between the cells of a notebook.
    """

    def __init__(self, names: NameResolver[Any], classes: Iterable[Class] | None = None) -> None:
        self.names = names
        self.classes = None if classes is None else tuple(classes)
        self._by_name = grouped((cls.node.name, cls) for cls in self.classes or ())
        self._owners = {cls.owner for cls in self.classes or ()}
        self._ancestors: dict[Owner, tuple[Class, ...]] = {}

    def named(self, name: str) -> list[Class]:
        """The classes with the last part of a dotted name."""
        return self._by_name.get(name.rpartition(".")[2], [])

    def bases(self, cls: Class) -> list[Class]:
        """The classes that a class names as its bases; several of one name if it is not known which is meant."""
        found: list[Class] = []
        for base in cls.bases:
            place = self.names.find(cls.owner.file, base)
            meant = self.names.class_at(place) if place else None
            if meant is not None and meant.owner != cls.owner and (self.classes is None or meant.owner in self._owners):
                found.append(meant)
                continue
            named = [each for each in self.named(base) if each.owner != cls.owner]
            found += [each for each in named if each.owner.file == cls.owner.file] or named
        return found

    def ancestors(self, cls: Class) -> tuple[Class, ...]:
        """The classes that a class inherits from, the nearest first."""
        if cls.owner not in self._ancestors:
            met, pending = {cls.owner: cls}, self.bases(cls)
            while pending:
                base = pending.pop(0)
                if base.owner not in met:
                    met[base.owner] = base
                    pending[:0] = self.bases(base)
            self._ancestors[cls.owner] = tuple(met.values())[1:]
        return self._ancestors[cls.owner]

    def heirs(self, cls: Class) -> list[Class]:
        return [each for each in self.classes or () if cls.owner in {base.owner for base in self.ancestors(each)}]

    def is_overridden(self, cls: Class, name: str) -> bool:
        """Whether a subclass defines a name, or inherits it from a base class that it names before the class."""
        families = ((heir, *self.ancestors(heir)) for heir in self.heirs(cls))
        before = (each for family in families for each in itertools.takewhile(lambda c: c.owner != cls.owner, family))
        return any(name in defined_in(each.node.body) for each in before)

    def method(self, cls: Class, name: str) -> Function | None:
        found, later = dict[Owner, Function](), set[Owner]()
        for each in (cls, *self.ancestors(cls)):
            place = DefinitionPlace(each.owner.file, f"{each.owner.qualname}.{name}")
            if function := self.names.function_at(place):
                found[each.owner] = function
                later |= {base.owner for base in self.ancestors(each)} - {cls.owner}
        # Python asks a class after all classes that inherit from it.
        return found[min(found, key=later.__contains__)] if found else None
