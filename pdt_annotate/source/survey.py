"""The survey of a source: its functions and classes, existing annotations, and the types of its defaults.

It uses only `ast`, so a file is surveyed in milliseconds, in any process, without running it.
"""

from __future__ import annotations

import ast
import enum
import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import decode_source

from pdt_annotate.source.comments import Comment, Comments, is_read, read_comments
from pdt_annotate.source.text import Text, only_syntax_errors, parse_module
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner, Slot, SlotKind
from pdt_annotate.values.types import NONE, TypeExpr, union

Definition = ast.FunctionDef | ast.AsyncFunctionDef
Scope = Definition | ast.ClassDef


class ParameterKind(enum.Enum):
    """The kinds of parameter, as `inspect` names them."""

    POSITIONAL_ONLY = "positional-only"
    PLAIN = "positional or keyword"
    VAR_POSITIONAL = "variadic positional"
    KEYWORD_ONLY = "keyword-only"
    VAR_KEYWORD = "variadic keyword"


VARIADIC = (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)


@dataclass(frozen=True)
class Parameter:
    """A parameter as written: `annotation` is source text, `value` its default, and `default` the type of that, if it
    is a literal. The place is that of its name."""

    name: str
    kind: ParameterKind
    place: Place
    annotation: str = ""
    value: ast.expr | None = None
    default: TypeExpr | None = None

    @property
    def has_default(self) -> bool:
        return self.value is not None

    @property
    def is_required(self) -> bool:
        return not self.has_default and self.kind not in VARIADIC


@dataclass(frozen=True)
class Function:
    """A `def`: its parameters without `self`, its annotations and comments, and the syntax tree for closer reading.

    `place` is that of its name, `receiver` the name of the first parameter of a method ("self"), else empty. `skipped`
    means `# pdt: skip` on its own header, `in_skipped_file` the same for the file.
    """

    owner: Owner
    place: Place
    end: int
    parameters: tuple[Parameter, ...]
    returns: str
    type_comments: tuple[Comment, ...]
    skipped: bool
    in_skipped_file: bool
    decorators: tuple[str, ...]
    in_class: str
    receiver: str
    node: Definition

    @property
    def settled(self) -> bool:
        return self.skipped or self.in_skipped_file or bool(self.type_comments)

    @property
    def misread(self) -> Comment | None:
        """The comment that keeps annotations out, although the compiler cannot read it; None if it is skipped."""
        if self.skipped or self.in_skipped_file or not self.type_comments or is_read(self.type_comments):
            return None
        return self.type_comments[0]

    @property
    def bare(self) -> tuple[Parameter, ...]:
        """The parameters that could be annotated here, and are not."""
        could = () if self.settled else self.parameters
        return tuple(each for each in could if not each.annotation and each.kind not in VARIADIC)

    def parameter(self, name: str) -> Parameter | None:
        return next((p for p in self.parameters if p.name == name), None)


@dataclass(frozen=True)
class Class:
    """A `class`: its bases as written, and the names that its body annotates, with the annotation's text."""

    owner: Owner
    place: Place
    end: int
    bases: tuple[str, ...]
    annotated: tuple[tuple[str, str], ...]
    skipped: bool
    decorators: tuple[str, ...]
    node: ast.ClassDef


@dataclass(frozen=True)
class Survey:
    """One file. `future_annotations`: it has the `from __future__ import annotations`; `text` has plain newlines."""

    file: str
    functions: tuple[Function, ...]
    classes: tuple[Class, ...]
    skipped: bool
    future_annotations: bool
    comments: Comments
    text: Text
    tree: ast.Module

    def function(self, owner: Owner) -> Function | None:
        found = self.by_line.get(owner.line)
        return found if isinstance(found, Function) and found.owner.qualname == owner.qualname else None

    @functools.cached_property
    def by_line(self) -> dict[int, Function | Class]:
        """The functions and classes in source order, by the first line of each."""
        found: list[Function | Class] = [*self.functions, *self.classes]
        return {each.owner.line: each for each in sorted(found, key=lambda each: each.owner.line)}

    @functools.cached_property
    def qualnames(self) -> frozenset[str]:
        return frozenset(each.owner.qualname for each in self.by_line.values())

    def function_at(self, line: int) -> Function | None:
        """The innermost function whose source contains the line (its decorators and its `def` line included)."""
        around = [f for f in self.functions if f.owner.line <= line <= f.end]
        return max(around, key=lambda f: f.owner.line, default=None)

    def class_named(self, qualname: str) -> Class | None:
        return next((c for c in self.classes if c.owner.qualname == qualname), None)

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
def survey(file: str, source: bytes) -> Survey:
    """Survey one file. Raises SyntaxError if it does not parse."""
    tree = parse_module(source, file)
    decoded = decode_source(source)
    comments, text = read_comments(decoded), Text(decoded.encode())
    reader = _Reader(file, text, comments)
    with only_syntax_errors():
        reader.visit_body(tree.body, "", "")
    return Survey(
        file=file,
        functions=tuple(reader.functions),
        classes=tuple(reader.classes),
        skipped=comments.skip_file,
        future_annotations=any(
            isinstance(node, ast.ImportFrom) and node.module == "__future__" and alias.name == "annotations"
            for node in tree.body
            for alias in getattr(node, "names", ())
        ),
        comments=comments,
        text=text,
        tree=tree,
    )


_standing_in: dict[str, bytes] = {}


def read_in_place(sources: Mapping[str, bytes]) -> None:
    """Read these sources in place of files from now on, by path, for a process that imports the sources instead."""
    _standing_in.update(sources)


def read_survey(file: str) -> Survey | None:
    """The survey of a file on disk, or of the source in its place; None if it cannot be read or parsed."""
    try:
        if file in _standing_in:
            return survey(file, _standing_in[file])
        with open(file, "rb") as stream:
            return survey(file, stream.read())
    except (OSError, SyntaxError, ValueError):
        return None


def read_function(owner: Owner) -> Function | None:
    """The function in its file as `read_survey` reads it; None if it is not there."""
    found = read_survey(owner.file)
    return found.function(owner) if found else None


def surveys(contents: Mapping[str, bytes]) -> Callable[[str], Survey | None]:
    """A function that surveys each file once, from these bytes or else from disk; it returns None as `read_survey`."""

    @functools.cache
    def read(file: str) -> Survey | None:
        if file not in contents:
            return read_survey(file)
        try:
            return survey(file, contents[file])
        except (SyntaxError, ValueError):
            return None

    return read


class _Reader:
    """Walks definitions with their qualified names; one instance a file."""

    def __init__(self, file: str, text: Text, comments: Comments) -> None:
        self.file = file
        self.text = text
        self.comments = comments
        self.declared_global: frozenset[str] = frozenset()
        self.functions: list[Function] = []
        self.classes: list[Class] = []

    def visit_body(self, body: Sequence[ast.AST], prefix: str, in_class: str) -> None:
        for node in body:
            if isinstance(node, Definition):
                self.read_function(node, prefix, in_class)
            elif isinstance(node, ast.ClassDef):
                self.read_class(node, prefix)
            else:
                self.visit_body(list(ast.iter_child_nodes(node)), prefix, in_class)

    def read_function(self, node: Definition, prefix: str, in_class: str) -> None:
        qualname = self._qualname(node, prefix)
        decorators = tuple(ast.unparse(d) for d in node.decorator_list)
        parameters = tuple(self._read_parameters(node))
        is_method = bool(in_class) and not any(d.endswith("staticmethod") for d in decorators)
        receiver = parameters[0].name if is_method and parameters else ""
        self.functions.append(
            Function(
                owner=Owner(self.file, qualname, first_line(node)),
                place=self.text.place(self.file, self.text.name_start(node)),
                end=node.end_lineno or node.lineno,
                parameters=parameters[1:] if receiver else parameters,
                returns=ast.unparse(node.returns) if node.returns else "",
                type_comments=self.comments.type_comments(first_line(node), node.lineno, first_line(node.body[0])),
                skipped=self.comments.skip(first_line(node), node.lineno),
                in_skipped_file=self.comments.skip_file,
                decorators=decorators,
                in_class=in_class,
                receiver=receiver,
                node=node,
            )
        )
        self._visit_scope(node, qualname + ".<locals>.", "")

    def read_class(self, node: ast.ClassDef, prefix: str) -> None:
        qualname = self._qualname(node, prefix)
        declared = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        self.classes.append(
            Class(
                owner=Owner(self.file, qualname, first_line(node)),
                place=self.text.place(self.file, self.text.name_start(node)),
                end=node.end_lineno or node.lineno,
                bases=tuple(ast.unparse(b) for b in node.bases),
                annotated=tuple(
                    (each.target.id, ast.unparse(each.annotation))
                    for each in declared
                    if isinstance(each.target, ast.Name)
                ),
                skipped=self.comments.skip_file or self.comments.skip(first_line(node), node.lineno),
                decorators=tuple(ast.unparse(d) for d in node.decorator_list),
                node=node,
            )
        )
        self._visit_scope(node, qualname + ".", qualname)

    def _qualname(self, node: Scope, prefix: str) -> str:
        """The qualified name. A function that is declared `global` is named as if it were at the top."""
        return node.name if node.name in self.declared_global else prefix + node.name

    def _read_parameters(self, node: Definition) -> Iterator[Parameter]:
        args = node.args
        defaults = defaults_of(node)
        kinds: tuple[tuple[Sequence[ast.arg | None], ParameterKind], ...] = (
            (args.posonlyargs, ParameterKind.POSITIONAL_ONLY),
            (args.args, ParameterKind.PLAIN),
            ([args.vararg], ParameterKind.VAR_POSITIONAL),
            (args.kwonlyargs, ParameterKind.KEYWORD_ONLY),
            ([args.kwarg], ParameterKind.VAR_KEYWORD),
        )
        for arg, kind in ((arg, kind) for each, kind in kinds for arg in each if arg is not None):
            value = defaults.get(arg.arg)
            yield Parameter(
                name=arg.arg,
                kind=kind,
                place=self.text.place(self.file, self.text.start(arg)),
                annotation=ast.unparse(arg.annotation) if arg.annotation else "",
                value=value,
                default=literal_type(value) if value is not None else None,
            )

    def _visit_scope(self, node: Scope, prefix: str, in_class: str) -> None:
        outer, self.declared_global = self.declared_global, frozenset(_declared_global(node.body))
        self.visit_body(node.body, prefix, in_class)
        self.declared_global = outer


def _declared_global(body: Sequence[ast.AST]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.Global):
            yield from node.names
        elif not isinstance(node, Scope | ast.expr):
            yield from _declared_global(list(ast.iter_child_nodes(node)))


def first_line(node: ast.stmt) -> int:
    """The line that a code object calls its first: that of the first decorator, if a statement has one."""
    return node.decorator_list[0].lineno if isinstance(node, Scope) and node.decorator_list else node.lineno


def opening_line(text: Text, node: ast.stmt) -> int:
    """The line of a statement's first `@`, if it has one, otherwise its own. `@(` may be alone on a line."""
    line = first_line(node)
    is_decorated = line != node.lineno
    while is_decorated and line > 1 and not text.line_bytes(text.line_start(line)).lstrip().startswith(b"@"):
        line -= 1
    return line


def defaults_of(node: Definition) -> dict[str, ast.expr]:
    """The expressions of the defaults, by parameter."""
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    with_default = [*positional[len(positional) - len(args.defaults) :], *args.kwonlyargs]
    pairs = zip(with_default, [*args.defaults, *args.kw_defaults], strict=True)
    return {arg.arg: default for arg, default in pairs if default is not None}


def literal_type(node: ast.expr) -> TypeExpr | None:
    """The type of a literal expression, as it would be observed; None if the expression does not show it."""
    if isinstance(node, ast.Constant):
        return NONE if node.value is None else TypeExpr(type(node.value).__name__)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return literal_type(node.operand)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return TypeExpr("bool")
    if isinstance(node, ast.BinOp):
        return _arithmetic_type(node)
    if isinstance(node, ast.Tuple):
        items = [literal_type(item) for item in node.elts]
        return None if None in items else TypeExpr("tuple", tuple(i for i in items if i))
    if isinstance(node, ast.List):
        items = [literal_type(item) for item in node.elts]
        known = [item for item in items if item]
        return None if None in items else TypeExpr("list", (union(*known),) if known else ())
    return None


def _arithmetic_type(node: ast.BinOp) -> TypeExpr | None:
    sides = (literal_type(node.left), literal_type(node.right))
    if not all(side is not None and side.name in ("int", "float") for side in sides):
        return None
    if isinstance(node.op, ast.Div) or TypeExpr("float") in sides:
        return TypeExpr("float")
    if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.UnaryOp):  # 10 ** -3
        return TypeExpr("float")
    return TypeExpr("int")
