"""An annotation in a header that the compiler cannot read is replaced by an inferred annotation that it can read.

Annotations of layers in the body of a class move under `if TYPE_CHECKING:`, because the compiler rejects them.

Message: `Unsupported annotation … could not be resolved`, `Unknown type name`, `Unknown type constructor`,
    `Unknown type annotation`, `Expected inferred type to be interface type`,
    `Failed to get source for <function Config.__init__>`.
Kind: Exact. Python evaluates an annotation only when it defines the function, so calls do not change.
Needs:
    - The message points to the line of an annotated parameter, or to a return annotation, or names the class of a
      parameter that was always None.
    - An annotated layer has no value in the body of its class, and the class has no decorator such as `dataclass`.
Before:
    def pad(x, size: type = None): ...
After:
    def pad(x, size: Optional[int] = None): ...
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import (
    NO_CONSTRUCTOR,
    UNKNOWN_ANNOTATION,
    UNKNOWN_CONSTRUCTOR,
    UNKNOWN_NAME,
    UNRESOLVED,
)
from pdt_annotate.mends.kit.annotations import take_annotation, take_return
from pdt_annotate.mends.kit.blocks import indent
from pdt_annotate.mends.kit.context import FunctionContext, MendRule, said
from pdt_annotate.mends.kit.edit_arguments import named_parameters
from pdt_annotate.source.syntax import last_name
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.types import NONE

MESSAGES = (UNRESOLVED, UNKNOWN_NAME, UNKNOWN_CONSTRUCTOR, UNKNOWN_ANNOTATION, NO_CONSTRUCTOR)


def find(site: FunctionContext) -> Iterator[Mend]:
    failure, refused = site.failure, site.fact(NO_CONSTRUCTOR)
    if failure is None:
        return
    if UNKNOWN_ANNOTATION.is_in(failure.message):
        yield from _of_layers(site)
    offset = site.text.offset(site.failing_line, failure.place.column) if site.failing_line else -1
    returns = site.node.returns
    if returns and site.span(returns)[0] <= offset < site.span(returns)[1]:
        summary = f"replace the annotation `{site.source(returns)}` of the result, which does not compile"
        yield site.mend(returns, summary, [take_return(site, returns)])
        return
    args = named_parameters(site.node)
    named = [arg for arg in args if arg.annotation and arg.lineno <= site.failing_line <= (arg.end_lineno or 0)]
    pointed = [arg for arg in named if site.span(arg)[0] <= offset < site.span(arg)[1]]
    for arg in (each for each in args if refused and set(site.observed(each.arg)) == {NONE}):
        words = {last_name(part) for part in ast.walk(arg) if isinstance(part, (ast.Name, ast.Attribute))}
        named += [arg] * (refused in words)
    for arg in pointed or named:
        summary = f"replace the annotation of `{site.source(arg)}`, which does not compile"
        yield site.mend(arg, summary, [take_annotation(site, arg)])


def _of_layers(site: FunctionContext) -> Iterator[Mend]:
    """The annotations of layers in the body of the class and of its bases in the file."""
    family = [site.cls, *site.relatives.ancestors(site.cls)] if site.cls else []
    for cls in (each for each in family if each.owner.file == site.file and not each.decorators):
        body, layers = cls.node.body, list[ast.AnnAssign]()
        for statement in body:
            match statement:
                case ast.AnnAssign(ast.Name(name), value=None) if held := site.held(name).values:
                    layers += [statement] * all(value.is_module for value in held)
        if not layers or not all(map(site.takes_lines, layers)):
            continue
        asked, edits = site.spell("typing.TYPE_CHECKING"), list[Edit]()
        for each in layers:
            is_first = body.index(each) == 0 or body[body.index(each) - 1] not in layers
            edits += [site.insert_before(each, f"if {asked}:")] * is_first
            edits += indent(site, each)
        names = ", ".join(f"`{ast.unparse(each.target)}`" for each in layers)
        yield site.mend(layers[0], f"let only type checkers read the annotations of the layers {names}", edits)


RULE = MendRule("unknown_annotations", MendKind.EXACT, said(*MESSAGES), find, sweeps=False)
