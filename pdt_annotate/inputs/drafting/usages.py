"""The constructions and calls of the target, with their arguments; in a project's sources, and in a profile of runs."""

import ast
import contextlib
import linecache
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pdt_annotate.inputs.drafting.inline_expressions import TEST_FOLDERS, DraftExpression, inline, is_test, scopes_of
from pdt_annotate.inputs.drafting.subject import CONSTRUCTOR, DEPTH, FORWARD, DraftSubject, same_module
from pdt_annotate.source.definitions import Parameter
from pdt_annotate.source.imports import DefinitionPlace, NameResolver, Sources
from pdt_annotate.source.module import Module, Namespace
from pdt_annotate.source.syntax import bind_arguments, dotted_name
from pdt_annotate.source.text import Text, parse_module
from pdt_annotate.values.paths import named_from, project_files
from pdt_annotate.values.runs import Described, ObservedCall
from pdt_annotate.values.slots import Place, column_at

LARGEST = 1_000_000  # bytes; a longer file is data, or was generated
NOT_LOOKED_INTO = frozenset(("build", "dist", "node_modules", "venv"))
EXAMPLE_FOLDERS = frozenset(("demo", "demos", "doc", "docs", "example", "examples", "script", "scripts", "tools"))
FENCED = re.compile(r"^```(?:python|py)[ \t]*\n(.*?)^```", re.DOTALL | re.MULTILINE)

RESULT = ""  # the entry for calls of the target's result, if the source does not show its kind

Passed = Mapping[str, DraftExpression | None]  # arguments by parameter; None if the value is only known at run time


@dataclass(frozen=True)
class Construction:
    """A construction of an instance; `place` is "file:line". `as_target`: the target is made the same way."""

    passed: Passed
    place: str
    as_target: bool = True


@dataclass(frozen=True)
class Usage:
    """A call of an entry. `construction` is None for a function, and for an instance that the target names."""

    entry: str
    passed: Passed
    construction: Construction | None
    place: str
    inside: str = ""


@dataclass
class Usages:
    """All usages, in file order: tests first."""

    constructions: list[Construction] = field(default_factory=list)
    usages: list[Usage] = field(default_factory=list)


def has_all(passed: Passed, parameters: Sequence[Parameter]) -> bool:
    """Whether every argument is known, and all required ones are passed."""
    return None not in passed.values() and all(p.name in passed for p in parameters if p.is_required)


def find_usages(subject: DraftSubject, names: NameResolver[Sources]) -> Usages:
    """Read the project's files that contain the target's name."""
    finder = _Finder(subject, names)
    words = {place.qualname.rpartition(".")[2] for place in (subject.place, subject.cls) if place}
    for module in modules_with(words, names.sources.root, names.sources):
        for scope in scopes_of(module):
            finder.read(scope)
    return finder.found


def modules_with(words: Iterable[str], root: str, sources: Sources) -> Iterator[Module]:
    """The code below the root that contains one of the words: tests first, then examples, then the rest."""
    wanted = re.compile("|".join(map(re.escape, words)).encode())
    files = project_files(root, (".py", ".md"), NOT_LOOKED_INTO)
    for file in sorted(files, key=lambda file: (_rank(file, root), file)):
        if wanted.search(_read(file)):
            yield from filter(None, [sources.module(file)]) if file.endswith(".py") else _blocks(file)


def _rank(file: str, root: str) -> int:
    """Tests pass valid arguments; documentation is often out of date, and comes last."""
    if file.endswith(".md"):
        return 3
    folders = Path(os.path.relpath(file, root)).parts[:-1]
    if is_test(file) or TEST_FOLDERS.intersection(folders):
        return 0
    return 1 if EXAMPLE_FOLDERS.intersection(folders) else 2


def _read(file: str) -> bytes:
    """The bytes of a file; empty if it cannot be read or is too long."""
    try:
        return Path(file).read_bytes() if os.path.getsize(file) <= LARGEST else b""
    except OSError:
        return b""


def _blocks(file: str) -> Iterator[Module]:
    """The Python blocks of a Markdown file that parse, with the line numbers of the file."""
    text = _read(file).decode(errors="replace").replace("\r\n", "\n")
    for block in FENCED.finditer(text):
        code = "\n" * text.count("\n", 0, block.start(1)) + block[1]
        with contextlib.suppress(SyntaxError, ValueError):
            yield Module(file, Text(code.encode()), parse_module(code))


class _Finder:
    def __init__(self, subject: DraftSubject, names: NameResolver[Sources]) -> None:
        self.subject = subject
        self.names = names
        self.found = Usages()
        self.entries: dict[str, Sequence[Parameter] | None] = {e.name: e.function.parameters for e in subject.entries}
        if subject.kind == "unknown":
            self.entries[RESULT] = None

    def read(self, scope: Namespace) -> None:
        for call in (node for node in scope.nodes if isinstance(node, ast.Call)):
            construction = self._construction(call, scope)
            if construction is not None and self.subject.maker == "class":
                self.found.constructions.append(construction)
            for entry, made in filter(None, [self._called(call, scope, construction)]):
                passed = self._passed(call, scope, self.entries[entry])
                if passed is not None:
                    place = self._place(scope.module.file, call)
                    self.found.usages.append(Usage(entry, passed, made, place, scope.name))

    def _called(
        self, call: ast.Call, scope: Namespace, construction: Construction | None
    ) -> tuple[str, Construction | None] | None:
        """The entry that a call runs, and the construction of the object it runs on."""
        if self.subject.kind == "function":
            is_meant = self._means(call.func, scope, self.subject.place)
            return (self.subject.entries[0].name, None) if is_meant else None
        if self.subject.kind == "class" and CONSTRUCTOR in self.entries and construction:
            return CONSTRUCTOR, None
        is_instance, made = self._instance(call.func, scope, call.lineno)
        first = RESULT if self.subject.kind == "unknown" else FORWARD
        if is_instance and first in self.entries:
            return first, made
        if isinstance(call.func, ast.Attribute) and call.func.attr in self.entries:
            is_instance, made = self._instance(call.func.value, scope, call.lineno)
            return (call.func.attr, made) if is_instance else None
        return None

    def _instance(
        self, value: ast.expr, scope: Namespace, line: int, depth: int = DEPTH
    ) -> tuple[bool, Construction | None]:
        """Whether an expression is an instance of the target, and its construction if the source shows it."""
        if depth and isinstance(value, ast.Call):
            construction = self._construction(value, scope)
            same = same_module(value)
            if construction is not None or same is None:
                return construction is not None, construction
            return self._instance(same, scope, line, depth - 1)
        name = dotted_name(value)
        if not (depth and name):
            return False, None
        bound = scope.lookup(name, line)
        is_variable = self.subject.maker == "variable"
        if bound is not None:
            file = bound.space.module.file
            at_top = is_variable and bound.space.around is None
            if not (at_top and DefinitionPlace(file, name) == self.subject.place):
                return self._instance(bound.value, bound.space, bound.line, depth - 1) if bound.value else (False, None)
        return is_variable and self.names.find(scope.module, name) == self.subject.place, None

    def _construction(self, call: ast.Call, scope: Namespace) -> Construction | None:
        """The construction of an instance by the target's class or factory, so that its calls count as the target's."""
        subject = self.subject
        of_class = subject.cls is not None and self._means(call.func, scope, subject.cls)
        of_factory = subject.maker == "factory" and self._means(call.func, scope, subject.place)
        if not (of_class or of_factory):
            return None
        passed = self._passed(call, scope, subject.constructor_parameters if of_class else ())
        as_target = of_factory or subject.maker == "class"
        return None if passed is None else Construction(passed, self._place(scope.module.file, call), as_target)

    def _place(self, file: str, node: ast.expr) -> str:
        """A place as comments spell it: "tests/test_net.py:12:5"."""
        column = column_at(linecache.getline(file, node.lineno), node.col_offset)
        return str(Place(named_from(file, self.names.sources.root), node.lineno, column))

    def _means(self, function: ast.expr, scope: Namespace, place: DefinitionPlace) -> bool:
        """Whether an expression names a definition; a local variable of that name does not."""
        name = dotted_name(function)
        if not name or scope.lookup(name.partition(".")[0], function.lineno) is not None:
            return False
        return self.names.find(scope.module, name) == place

    def _passed(self, call: ast.Call, scope: Namespace, parameters: Sequence[Parameter] | None) -> Passed | None:
        """The arguments by parameter, or by number and keyword without these; None if they don't fit or are `*args`."""
        bound: Mapping[str, ast.expr] | None = None
        if parameters is not None:
            bound = bind_arguments(call, parameters)
        elif not any(isinstance(each, ast.Starred) for each in call.args) and all(word.arg for word in call.keywords):
            keywords = {str(keyword.arg): keyword.value for keyword in call.keywords}
            bound = {str(number): value for number, value in enumerate(call.args)} | keywords
        if bound is None:
            return None
        taken = {parameter.name for parameter in parameters or ()}  # a draft's local variables have these names
        known = {name: inline(value, scope, call.lineno, self.names) for name, value in bound.items()}
        return {name: None if text and taken & dict(text.imports).keys() else text for name, text in known.items()}


def find_observed(subject: DraftSubject, calls: Sequence[ObservedCall]) -> Usages:
    """The calls of the target's entries, and the constructions of the modules they run on."""
    found = Usages()
    is_constructed = subject.kind == "module" and subject.maker == "class"
    for entry in subject.entries:
        owner = entry.function.owner
        for call in (each for each in calls if each.qualname == owner.qualname):
            # Calls of this very class, not of a subclass that inherits the method.
            is_class = subject.cls is None or not call.cls or f".{call.cls}".endswith(f".{subject.cls.qualname}")
            if is_class and os.path.realpath(call.file) == os.path.realpath(owner.file):
                place, made = f"{call.call}, observed", None
                if call.made is not None and is_constructed:
                    made = Construction(_passed(call.made, subject.constructor_parameters), place)
                    found.constructions.append(made)
                passed = _passed(call.arguments, entry.function.parameters)
                found.usages.append(Usage(entry.name, passed, made, place, call.call.rpartition("::")[2]))
    return found


def join(observed: Usages, read: Usages) -> Usages:
    """Observed calls first, then calls of the sources, except in observed tests, which would repeat them."""

    def key(usage: Usage) -> tuple[str, frozenset[str]]:
        """The calling function, without the parameters of a test, and the names of the arguments."""
        return usage.inside.partition("[")[0], frozenset(usage.passed)

    ran = set(map(key, observed.usages))
    others = [usage for usage in read.usages if key(usage) not in ran]
    return Usages(observed.constructions + read.constructions, observed.usages + others)


def _passed(described: Described, parameters: Iterable[Parameter]) -> Passed:
    """The arguments of a call by parameter, except arguments that equal the default."""
    given = [p for p in parameters if p.name in described and not _is_default(described[p.name], p)]
    texts = {p.name: text_of(described[p.name]) for p in given}
    return {name: None if text is None else DraftExpression(text) for name, text in texts.items()}


def _is_default(value: Any, parameter: Parameter) -> bool:
    """Whether a value is the default, or may be: for a text only the class is known."""
    if parameter.value is None:
        return False
    try:
        default = ast.literal_eval(parameter.value)
    except ValueError:
        return False
    return value == {"type": type(default).__name__} or (type(value) is type(default) and value == default)


def text_of(value: Any) -> str | None:
    """An expression for a described value; None if only its class is known."""
    match value:
        case {"tensor": dtype, "shape": shape}:
            return _tensor(dtype, shape)
        case {"list": items} | {"tuple": items}:
            parts = [text_of(part) for part in items]
            left, right = "[]" if "list" in value else ("(", ",)" if len(parts) == 1 else ")")
            return None if None in parts else f"{left}{', '.join(map(str, parts))}{right}"
        case {"dict": items}:
            pairs = {key: text_of(part) for key, part in items}
            shown = ", ".join(f"{key!r}: {text}" for key, text in pairs.items())
            return None if None in pairs.values() else f"{{{shown}}}"
        case Mapping():
            return None
    return repr(value)


def _tensor(dtype: str, shape: Sequence[int]) -> str | None:
    """A tensor of a dtype and a shape. Whole numbers are 0 and 1: they may be indices into something small."""
    kind = [] if dtype in ("float32", "int64") else [f"dtype=torch.{dtype}"]  # these are the defaults
    sizes = repr(tuple(shape))
    if dtype.startswith(("float", "bfloat", "complex")) and "8" not in dtype:
        return f"torch.randn({', '.join([*(map(str, shape) if shape else ['()']), *kind])})"
    if dtype == "bool":
        return f"torch.ones({sizes}, {kind[0]})"
    return f"torch.randint({', '.join(['0', '2', sizes, *kind])})" if dtype.startswith(("int", "uint")) else None
