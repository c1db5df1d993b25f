"""Functions and classes as the source defines them: existing annotations, comments, and the types of defaults.

They are read by `ast` alone, so a file takes milliseconds, in any process, and is never run.
"""

import ast
import enum
from collections.abc import Sequence
from dataclasses import dataclass

from pdt_annotate.source.comments import RETURN_OF_SEVERAL, SIGNATURE, Comment, Comments
from pdt_annotate.source.text import Text
from pdt_annotate.values.slots import Owner, Place
from pdt_annotate.values.types import BOOL, FLOAT, INT, NONE, TypeExpr, union

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
    def is_required(self) -> bool:
        return self.value is None and self.kind not in VARIADIC


@dataclass(frozen=True)
class Function:
    """A `def`: its parameters without `self`, its annotations and comments, and the syntax tree for closer reading."""

    owner: Owner
    place: Place  # of its name
    end: int
    parameters: tuple[Parameter, ...]
    returns: str
    type_comments: tuple[Comment, ...]
    skipped: bool  # `# pdt: skip` is on its own header
    in_skipped_file: bool  # the same for the file
    decorators: tuple[str, ...]
    in_class: str
    receiver: str  # the name of the first parameter of a method ("self"), else empty
    node: Definition

    @property
    def settled(self) -> bool:
        return self.skipped or self.in_skipped_file or bool(self.type_comments)

    @property
    def misread(self) -> Comment | None:
        """The comment that keeps annotations out, although the compiler cannot read it; None if it is skipped.

        It reads one alone on its line, or one for each parameter and `# type: (...) -> T` alone on the last line.
        """
        if self.skipped or self.in_skipped_file or not self.type_comments:
            return None
        last = self.type_comments[-1]
        is_whole = len(self.type_comments) == 1 or RETURN_OF_SEVERAL in last.text
        is_read = last.alone and is_whole and SIGNATURE.match(last.text)
        return None if is_read else self.type_comments[0]

    @property
    def bare(self) -> tuple[Parameter, ...]:
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


def read_definition(
    node: Scope, qualname: str, in_class: str, file: str, text: Text, comments: Comments
) -> Function | Class:
    """A `def` or `class` of a file, from its syntax tree; `in_class` names the class whose body it is in."""
    first = first_line(node)
    place = text.place(file, text.name_start(node))
    decorators = tuple(ast.unparse(each) for each in node.decorator_list)
    skipped, type_comments = comments.read_header(first, node.lineno, first_line(node.body[0]))
    if isinstance(node, ast.ClassDef):
        declared = [each for each in node.body if isinstance(each, ast.AnnAssign)]
        names = [
            (each.target.id, ast.unparse(each.annotation)) for each in declared if isinstance(each.target, ast.Name)
        ]
        return Class(
            owner=Owner(file, qualname, first),
            place=place,
            end=node.end_lineno or node.lineno,
            bases=tuple(ast.unparse(each) for each in node.bases),
            annotated=tuple(names),
            skipped=comments.skip_file or skipped,
            decorators=decorators,
            node=node,
        )
    args, defaults = node.args, defaults_of(node)
    kinds: tuple[tuple[Sequence[ast.arg | None], ParameterKind], ...] = (
        (args.posonlyargs, ParameterKind.POSITIONAL_ONLY),
        (args.args, ParameterKind.PLAIN),
        ([args.vararg], ParameterKind.VAR_POSITIONAL),
        (args.kwonlyargs, ParameterKind.KEYWORD_ONLY),
        ([args.kwarg], ParameterKind.VAR_KEYWORD),
    )
    parameters = tuple(
        Parameter(
            name=arg.arg,
            kind=kind,
            place=text.place(file, text.start(arg)),
            annotation=ast.unparse(arg.annotation) if arg.annotation else "",
            value=defaults.get(arg.arg),
            default=literal_type(defaults[arg.arg]) if arg.arg in defaults else None,
        )
        for each, kind in kinds
        for arg in each
        if arg is not None
    )
    is_method = bool(in_class) and not any(each.endswith("staticmethod") for each in decorators)
    receiver = parameters[0].name if is_method and parameters else ""
    return Function(
        owner=Owner(file, qualname, first),
        place=place,
        end=node.end_lineno or node.lineno,
        parameters=parameters[1:] if receiver else parameters,
        returns=ast.unparse(node.returns) if node.returns else "",
        type_comments=type_comments,
        skipped=skipped,
        in_skipped_file=comments.skip_file,
        decorators=decorators,
        in_class=in_class,
        receiver=receiver,
        node=node,
    )


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


def defaults_of(node: Definition | ast.Lambda) -> dict[str, ast.expr]:
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    with_default = [*positional[len(positional) - len(args.defaults) :], *args.kwonlyargs]
    pairs = zip(with_default, [*args.defaults, *args.kw_defaults], strict=True)
    return {arg.arg: default for arg, default in pairs if default is not None}


def literal_type(node: ast.expr) -> TypeExpr | None:
    """The type of a literal expression, as it would be observed; None if the expression does not show it."""
    match node:
        case ast.Constant(value):
            return NONE if value is None else TypeExpr(type(value).__name__)
        case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
            return literal_type(operand)
        case ast.UnaryOp(ast.Not()):
            return BOOL
        case ast.BinOp(left, op, right):
            sides = (literal_type(left), literal_type(right))
            if not all(side is not None and side.name in ("int", "float") for side in sides):
                return None
            is_inverse = isinstance(op, ast.Pow) and isinstance(right, ast.UnaryOp)  # 10 ** -3
            is_float = is_inverse or isinstance(op, ast.Div) or FLOAT in sides
            return FLOAT if is_float else INT
        case ast.Tuple(items) | ast.List(items) if None not in (types := [literal_type(item) for item in items]):
            known = tuple(filter(None, types))
            if isinstance(node, ast.List):
                return TypeExpr("list", (union(*known),) if known else ())
            return TypeExpr("tuple", known)
    return None
