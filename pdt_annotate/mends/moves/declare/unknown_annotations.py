"""An annotation that the compiler cannot read is replaced by an inferred annotation that it can read, or removed.

This concerns parameters, results and local variables. Annotations of layers in the body of a class move under
`if TYPE_CHECKING:`, because the compiler rejects them.

Message: `Unsupported annotation … could not be resolved`, `Unknown type name`, `Unknown type annotation`,
    `Expected inferred type to be interface type`, `Failed to get source for <function Config.__init__>`,
    `Unknown type constructor`, `cannot be used in a type expression`, `without a contained type`.
Kind: Exact. Python evaluates an annotation only when it defines the function, so calls do not change.
Needs:
    - The function has no decorator that may read annotations.
    - The message points to the line of an annotated parameter, or names the class of a parameter that was always None,
      or of a result that was always something else.
    - Or the annotation has a type of `typing` or `collections.abc` such as `Sequence`, `Tuple[int, ...]`, a container
      of `typing` without the types of its items, or a generic class such as `Float[Tensor, "batch"]`.
    - An annotated layer has no value in the body of its class, and the class has no decorator such as `dataclass`. In
      all modules, it is a layer or None.
Before:
    def pad(x, size: type = None): ...
After:
    def pad(x, size: Optional[int] = None): ...
"""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import (
    NO_CONSTRUCTOR,
    UNKNOWN_ANNOTATION,
    UNKNOWN_NAME,
    UNREADABLE_TYPE,
    UNRESOLVED,
)
from pdt_annotate.mends.kit.annotations import take_annotation, take_return
from pdt_annotate.mends.kit.blocks import indent, statements
from pdt_annotate.mends.kit.context import NOTHING, FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import named_parameters
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.source.syntax import last_name, last_names, nodes_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE

MESSAGES = (UNRESOLVED, UNKNOWN_NAME, UNKNOWN_ANNOTATION, NO_CONSTRUCTOR, UNREADABLE_TYPE)
MODULES = ("typing", "typing_extensions", "collections.abc")
PLAIN_DECORATORS = {
    *("staticmethod", "classmethod", "property", "abstractmethod", "override", "wraps", "lru_cache", "cache"),
    *("no_grad", "enable_grad", "inference_mode", "autocast", "unused", "ignore", "export"),
}
CONTAINERS = frozenset(("Dict", "List", "Tuple"))
GENERIC = frozenset(("Await", "Future", "RRef", "dict", "list", "tuple"))
READABLE = frozenset(("Any", "Dict", "Final", "List", "NamedTuple", "Optional", "Tuple", "Union"))  # of `typing`


def find(site: FunctionContext) -> Iterator[Mend]:
    failure = site.failure
    if failure and said(UNKNOWN_ANNOTATION, UNRESOLVED)(failure):
        yield from _of_layers(site)
    if {each.partition("(")[0].rpartition(".")[2] for each in site.function.decorators} - PLAIN_DECORATORS:
        return  # a decorator may read the annotations
    edits = _removals(site)
    offset = site.text.offset(site.failing_line, failure.place.column) if failure and site.failing_line else -1
    refused = [each for each in edits if site.span(each)[0] <= offset < site.span(each)[1]]
    for annotation in dict.fromkeys((*(refused or _named(site)), *(e for e in edits if _is_unreadable(site, e)))):
        summary = f"replace the annotation `{site.source(annotation)}`, which does not compile"
        yield site.mend(annotation, summary, [edits[annotation]])


def _removals(site: FunctionContext) -> dict[ast.expr, Edit]:
    """The annotations of parameters, the result and locals of a function, each with the edit that removes it."""
    edits = {site.node.returns: take_return(site, site.node.returns)} if site.node.returns else {}
    for node in (*named_parameters(site.node), *statements(site.node.body)):
        match node:
            case ast.arg(annotation=ast.expr() as annotation):
                edits[annotation] = take_annotation(site, node)
            case ast.AnnAssign(ast.Name() as target, annotation, ast.expr(), simple=1):
                start, end = site.span(target)[1], site.span(annotation)[1]
                edits[annotation] = Edit(start, "", removed=end - start)
    return edits


def _named(site: FunctionContext) -> Iterator[ast.expr]:
    """The annotations of parameters in the failing line, and annotations that name the class in the message."""
    refused, returns, returned = site.fact(NO_CONSTRUCTOR), site.node.returns, site.observed("return")
    if returns and returned and refused in last_names(returns) and not any(refused in str(each) for each in returned):
        yield returns
    for arg in named_parameters(site.node):
        if arg.annotation:
            is_refused = refused in last_names(arg.annotation) and set(site.observed(arg.arg)) == {NONE}
            if is_refused or arg.lineno <= site.failing_line <= (arg.end_lineno or 0):
                yield arg.annotation


def _is_unreadable(site: FunctionContext, annotation: ast.expr) -> bool:
    """Whether an annotation has `...`, a bare `Tuple`, or a type or generic class that TorchScript lacks."""
    subscripted = {part.value for part in nodes_in(annotation, ast.Subscript)}
    for part in ast.walk(annotation):
        match part:
            case ast.Constant(value) if value is ...:
                return True
            case ast.Subscript(generic) if last_name(generic) not in READABLE | GENERIC:
                return True
            case ast.Name() | ast.Attribute():
                module, _, name = site.meaning(part).rpartition(".")
                is_bare = name in CONTAINERS and part not in subscripted
                if module in MODULES and (is_bare or name not in READABLE):
                    return True
    return False


def _of_layers(site: FunctionContext) -> Iterator[Mend]:
    """The annotations of layers in the body of the class and of its bases in the file."""
    family = [site.cls, *site.relatives.ancestors(site.cls)] if site.cls else []
    for cls in (each for each in family if each.owner.file == site.file and not each.decorators):
        body, layers = cls.node.body, list[ast.AnnAssign]()
        for statement in body:
            match statement:
                case ast.AnnAssign(ast.Name(name), value=None) if held := site.held(name).values:
                    are_layers = all(each.is_module or each.type == NOTHING for each in held)
                    is_known = read_annotation(ast.unparse(statement.annotation)) is not None
                    layers += [statement] * (are_layers and (any(each.is_module for each in held) or not is_known))
        if not layers or not all(map(site.takes_lines, layers)):
            continue
        asked, edits = site.spell("typing.TYPE_CHECKING"), list[Edit]()
        for each in layers:
            is_first = body.index(each) == 0 or body[body.index(each) - 1] not in layers
            edits += [site.insert_before(each, f"if {asked}:")] * is_first
            edits += indent(site, each)
        names = ", ".join(f"`{ast.unparse(each.target)}`" for each in layers)
        yield site.mend(layers[0], f"let only type checkers read the annotations of the layers {names}", edits)


RULE = MendRule("unknown_annotations", MendKind.EXACT, said(*MESSAGES), find)
