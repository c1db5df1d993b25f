"""Annotations that are wider than the types that were seen, or different."""

import ast
from collections.abc import Sequence

from pdt_annotate.mends.kit.blocks import end_of_header
from pdt_annotate.mends.kit.context import FunctionContext
from pdt_annotate.source.expressions import NUMBERS, STR
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.source.syntax import nodes_in
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr

CONTAINERS = ("list", "tuple", "dict")


def take_wrong_return(site: FunctionContext) -> list[Edit]:
    """The edits that remove a return annotation that is wider than the observed types, or includes none of them."""
    returns = site.node.returns
    if returns is None:
        return []
    # A return annotation of Union although all returned values are tuple displays.
    written = read_annotation(ast.unparse(returns))
    values = [n.value for n in nodes_in(site.node, ast.Return)]
    are_tuples = written and written.name == "Union" and all(isinstance(value, ast.Tuple) for value in values)
    is_wrong = are_tuples or is_amiss(returns, site.observed("return"))
    return [take_return(site, returns)] if is_wrong else []


def take_return(site: FunctionContext, returns: ast.expr) -> Edit:
    """The edit that removes the return annotation of the function."""
    start, end = site.span(returns)[0], end_of_header(site, site.node) - 1
    head = len(site.text.body[: site.text.body.rindex(b"->", 0, start)].rstrip())
    return Edit(head, "", removed=end - head)


def take_annotation(site: FunctionContext, arg: ast.arg) -> Edit:
    """The edit that removes the annotation of a parameter."""
    start, end = site.span(arg)
    name = site.text.name_end(start)
    return Edit(name, "", removed=end - name)


def is_amiss(annotation: ast.expr, observed: Sequence[TypeExpr]) -> bool:
    """Whether an annotation is wider than the observed types, or includes none of them. Another rule handles None."""
    written, seen = read_annotation(ast.unparse(annotation)), set(observed) - {NONE}
    if written is None or not seen:
        return False
    members = [each for each in (written.args if written.name in ("Union", "Optional") else (written,)) if each != NONE]
    if ANY in members and ANY not in seen:
        return True
    return len(members) > max(1, len(seen)) or all(_is_other(each, member) for each in seen for member in members)


def _is_other(seen: TypeExpr, written: TypeExpr) -> bool:
    """Whether a value has none of the annotated types; a number may pass for a wider one."""
    if written in NUMBERS and seen in NUMBERS:
        return NUMBERS.index(seen) > NUMBERS.index(written)
    if {seen.name, written.name} <= {"list", "tuple"} and seen.args and written.args:
        return all(_is_other(one, other) for one in seen.args for other in written.args)
    # A list may pass for a tuple, but no single value for a container, and no container for a single value.
    singles, names = (*NUMBERS, STR, TENSOR), (seen.name, written.name)
    known = {*CONTAINERS, *(each.name for each in singles)}
    is_single = any(name not in CONTAINERS for name in names)
    return (written in (*NUMBERS, STR) or known.issuperset(names)) and is_single and seen.name != written.name
