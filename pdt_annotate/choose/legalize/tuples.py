"""tuple[A, B] -> Tuple[A, B]; torch.return_types.max[A, B] -> Tuple[A, B]; where A is B, List[A] is an alternative."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.choose.legalize.compose import container, distinct
from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Illegal
from pdt_annotate.values.types import TypeExpr

UNNAMED = "torch.return_types."


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """A List also takes what scripted callers pass for `x.shape` or `x.chunk(2)`, and any length."""
    if type.name != "tuple" and not type.name.startswith(UNNAMED):
        return None
    result = as_tuple(type, context)
    if isinstance(result, Illegal) or len(set(result.type.args)) != 1:
        return result
    as_list = TypeExpr("list", result.type.args[:1])
    return replace(result, alternatives=distinct(result.type, (as_list, *result.alternatives)))


def as_tuple(type: TypeExpr, context: Context) -> LegalOrNot:
    """The plain Tuple of a tuple's or namedtuple's elements, for access by position."""
    return container("tuple", [context.legalize(element) for element in type.args])
