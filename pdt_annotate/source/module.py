"""One model of a Python source. Each of its answers is worked out once, when it is first asked for."""

from __future__ import annotations

import ast
import functools
import linecache
import tokenize
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pdt_annotate.source.comments import Comments, read_comments
from pdt_annotate.source.definitions import Class, Definition, Function, Scope, defaults_of, read_definition
from pdt_annotate.source.scopes import Statement, bindings, defined_in, parameters, statements
from pdt_annotate.source.text import Text, decode, only_syntax_errors, parse_module
from pdt_annotate.values.slots import Owner, Place, Slot, SlotKind


@dataclass(frozen=True)
class Bound:
    """The expression that a name is bound to; None if the binding has no expression, as in a loop."""

    value: ast.expr | None
    space: Namespace
    line: int


class Namespace:
    """The names of a module, function or class.

    `shadows` are the names that scopes around a definition, and the class body above it, hide from its annotations.
    """

    def __init__(
        self,
        module: Module,
        node: ast.Module | Scope,
        around: Namespace | None = None,
        shadows: frozenset[str] = frozenset(),
    ) -> None:
        self.module = module
        self.node = node
        self.around = around
        self.shadows = shadows
        self.name = "" if isinstance(node, ast.Module) else node.name

    @functools.cached_property
    def qualname(self) -> str:
        """The qualified name. A function that is declared `global` is named as if it were at the top."""
        outer = self.around
        if outer is None or outer.rebound.get(self.name):
            return self.name
        inside = ".<locals>." if isinstance(outer.node, Definition) else "." if outer.name else ""
        return f"{outer.qualname}{inside}{self.name}"

    @functools.cached_property
    def runs_at_import(self) -> bool:
        return not isinstance(self.node, Definition) and (self.around is None or self.around.runs_at_import)

    @functools.cached_property
    def statements(self) -> tuple[Statement, ...]:
        return tuple(statements(self.node.body))

    @functools.cached_property
    def nodes(self) -> Sequence[ast.AST]:
        """The nodes of the scope in source order, without the nodes of the functions and classes inside it."""
        found, pending = [], list[ast.AST](self.node.body)
        while pending:
            node = pending.pop(0)
            found.append(node)
            if not isinstance(node, Scope | ast.Lambda):
                pending[:0] = ast.iter_child_nodes(node)
        return found

    @functools.cached_property
    def rebound(self) -> Mapping[str, bool]:
        """The names of other scopes that a function or class binds, each with whether it is the module's."""
        nodes = () if isinstance(self.node, ast.Module) else (each.node for each in self.statements)
        declared = (node for node in nodes if isinstance(node, ast.Global | ast.Nonlocal))
        return {name: isinstance(node, ast.Global) for node in declared for name in node.names}

    @functools.cached_property
    def bound(self) -> frozenset[str]:
        """The names that belong to this scope. The names of `:=` are left out."""
        names = {name for each in self.statements for name, _ in bindings(each.node)}
        if isinstance(self.node, Definition):
            names.update(each.arg for each in parameters(self.node))
        return frozenset(names - self.rebound.keys())

    @functools.cached_property
    def hidden(self) -> frozenset[str]:
        """The names that functions bind around the code inside, so that it cannot see the module's."""
        outer = self.around.hidden if self.around else frozenset[str]()
        if not isinstance(self.node, Definition):
            return outer
        return (outer | self.bound) - {name for name, of_module in self.rebound.items() if of_module}

    def inner(self) -> Iterator[Namespace]:
        """The scopes inside, in source order, the outer ones first."""
        above: set[str] = set()
        for node in (each.node for each in self.statements):
            if isinstance(node, Scope):
                is_class = isinstance(self.node, ast.ClassDef)
                space = Namespace(self.module, node, self, self.hidden | above if is_class else self.hidden)
                yield space
                yield from space.inner()
            above.update(name for name, _ in bindings(node))

    @functools.cached_property
    def _values(self) -> Mapping[str, list[Bound]]:
        found: defaultdict[str, list[Bound]] = defaultdict(list)
        if isinstance(self.node, Definition):
            args, defaults = self.node.args, defaults_of(self.node)
            for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs):
                found[arg.arg].append(Bound(defaults.get(arg.arg), self, 0))
        for node in (each.node for each in self.statements):
            if not isinstance(node, Scope | ast.Import | ast.ImportFrom):
                for name, value in bindings(node):
                    found[name].append(Bound(value, self, node.lineno))
        return found

    def lookup(self, name: str, line: int) -> Bound | None:
        """The value of a variable at a line, here or in the functions and the module around; None for other names."""
        found = [] if isinstance(self.node, ast.ClassDef) else self._values.get(name, [])
        before = [each for each in found if each.line < line] or found
        if before:
            return before[-1]
        return self.around.lookup(name, line) if self.around else None


@dataclass(frozen=True, eq=False)
class Module:
    """One file, or a block of code in a Markdown file. `text` has plain newlines."""

    file: str
    text: Text
    tree: ast.Module

    @functools.cached_property
    def comments(self) -> Comments:
        return read_comments(self.text.body.decode())

    @functools.cached_property
    def future_annotations(self) -> bool:
        futures = (node for node in self.tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__")
        return any(alias.name == "annotations" for node in futures for alias in node.names)

    @functools.cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """All nodes of the file, in the order of `ast.walk`, which takes a while for thousands of lines."""
        return tuple(ast.walk(self.tree))

    @functools.cached_property
    def names(self) -> frozenset[str]:
        """All names that are read or stored in the file."""
        return frozenset(node.id for node in self.nodes if isinstance(node, ast.Name))

    @functools.cached_property
    def defined(self) -> Mapping[str, ast.stmt]:
        """The functions, classes and assigned names of the module, each with the last statement that binds it."""
        return defined_in(self.tree.body)

    @functools.cached_property
    def namespaces(self) -> tuple[Namespace, ...]:
        """The module's own, then the namespaces of its functions and classes in source order."""
        own = Namespace(self, self.tree)
        return (own, *own.inner())

    @functools.cached_property
    def imports(self) -> tuple[tuple[ast.Import | ast.ImportFrom, bool], ...]:
        """The imports in source order, each with whether it runs when the module is imported."""
        nodes = ((each.node, space.runs_at_import) for space in self.namespaces for each in space.statements)
        found = [(node, at_import) for node, at_import in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        return tuple(sorted(found, key=lambda each: (each[0].lineno, each[0].col_offset)))

    @functools.cached_property
    def by_line(self) -> Mapping[int, Function | Class]:
        """The functions and classes in source order, by the first line of each."""
        found: dict[int, Function | Class] = {}
        for space in self.namespaces[1:]:
            assert isinstance(space.node, Scope) and space.around
            in_class = space.around.qualname if isinstance(space.around.node, ast.ClassDef) else ""
            known = read_definition(space.node, space.qualname, in_class, self.file, self.text, self.comments)
            found[known.owner.line] = known
        return found

    @functools.cached_property
    def functions(self) -> tuple[Function, ...]:
        return tuple(each for each in self.by_line.values() if isinstance(each, Function))

    @functools.cached_property
    def classes(self) -> tuple[Class, ...]:
        return tuple(each for each in self.by_line.values() if isinstance(each, Class))

    @functools.cached_property
    def calls(self) -> tuple[tuple[Function, ast.Call], ...]:
        """The calls in functions that pass arguments, each with the innermost function around it."""
        inner = {node: each for each in self.functions for node in ast.walk(each.node) if isinstance(node, ast.Call)}
        return tuple((inner[node], node) for node in self.nodes if node in inner and (node.args or node.keywords))

    @functools.cached_property
    def attributes(self) -> Mapping[str, Sequence[tuple[Function, ast.Attribute]]]:
        """By name, the attributes that functions read or set, with each function around them."""
        found: defaultdict[str, list[tuple[Function, ast.Attribute]]] = defaultdict(list)
        for function in self.functions:
            for node in ast.walk(function.node):
                if isinstance(node, ast.Attribute):
                    found[node.attr].append((function, node))
        return found

    @functools.cached_property
    def qualnames(self) -> frozenset[str]:
        return frozenset(each.owner.qualname for each in self.by_line.values())

    def function(self, owner: Owner) -> Function | None:
        found = self.by_line.get(owner.line)
        return found if isinstance(found, Function) and found.owner.qualname == owner.qualname else None

    def around(self, line: int) -> list[Function | Class]:
        """The definitions whose source contains the line, decorators included, the outermost first."""
        return [each for each in self.by_line.values() if each.owner.line <= line <= each.end]

    def function_at(self, line: int) -> Function | None:
        return next((each for each in reversed(self.around(line)) if isinstance(each, Function)), None)

    def function_named(self, qualname: str) -> Function | None:
        """The last function of a qualified name, which Python keeps."""
        return next((each for each in reversed(self.functions) if each.owner.qualname == qualname), None)

    def class_named(self, qualname: str) -> Class | None:
        return next((each for each in self.classes if each.owner.qualname == qualname), None)

    def place(self, owner: Owner) -> Place:
        """The place of the name of a function or class; only its line if there is no such definition."""
        known = self.by_line.get(owner.line)
        if known is None or known.owner.qualname != owner.qualname:
            known = self.class_named(owner.qualname)
        return known.place if known else Place(owner.file, owner.line)

    def place_of(self, slot: Slot) -> Place:
        """The place of the name of a slot; that of its function or class for a return, or if the name is not found."""
        function = self.function(slot.owner)
        if slot.kind is SlotKind.PARAMETER and function is not None:
            parameter = function.parameter(slot.name.lstrip("*"))
            return parameter.place if parameter else function.place
        # The statements that may set a local or an attribute and can carry its annotation.
        nodes: Iterable[ast.AST] = ()
        if slot.kind is SlotKind.LOCAL and function is not None:
            nodes = (node for node in ast.walk(function.node) if getattr(node, "lineno", 0) == slot.line)
        elif slot.kind is SlotKind.ATTRIBUTE and (cls := self.class_named(slot.owner.qualname)):
            nodes = cls.node.body
        targets = (target for node in nodes if isinstance(node, ast.Assign) for target in node.targets)
        target = next((target for target in targets if ast.unparse(target) == slot.name), None)
        return self.text.place(self.file, self.text.start(target)) if target else self.place(slot.owner)


@functools.lru_cache(maxsize=1024)
def parse(file: str, source: bytes) -> Module:
    """A module whose definitions may be nested too deeply to be read. Raises SyntaxError if it does not parse."""
    tree = parse_module(source, file)
    return Module(file, decode(source), tree)


def read_module(file: str, source: bytes) -> Module:
    """A module with its definitions. Raises SyntaxError if it does not parse."""
    module = parse(file, source)
    if "by_line" not in vars(module):  # a rule asks thousands of times
        with only_syntax_errors():
            module.by_line  # noqa: B018 - reads them
    return module


_standing_in: dict[str, bytes] = {}


def read_in_place(sources: Mapping[str, bytes]) -> None:
    """Read these sources in place of files from now on, by path, for a process that imports the sources instead."""
    _standing_in.update(sources)


def load_module(file: str, contents: Mapping[str, bytes] = {}) -> Module | None:
    """The module in a file: in these contents, in the source in its place, or on disk; None if it cannot be read."""
    source = contents.get(file, _standing_in.get(file))
    try:
        return read_module(file, Path(file).read_bytes() if source is None else source)
    except (OSError, SyntaxError, ValueError):
        return None


def load_function(owner: Owner) -> Function | None:
    found = load_module(owner.file)
    return found.function(owner) if found else None


def compiled_function(owner: Owner) -> Function | None:
    """The definition of a function in the lines of its file that the compiler reads, which `linecache` has."""
    lines = linecache.getlines(owner.file)
    encoded = (line.encode() for line in lines)
    try:
        encoding, _ = tokenize.detect_encoding(lambda: next(encoded, b""))  # that of a comment, or UTF-8
        return read_module(owner.file, "".join(lines).encode(encoding)).function(owner)
    except (SyntaxError, ValueError):  # it is not Python
        return None


def modules_of(contents: Mapping[str, bytes]) -> Callable[[str], Module | None]:
    """`load_module` with these contents, which reads each module once."""
    return functools.cache(functools.partial(load_module, contents=contents))
