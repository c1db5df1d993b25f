"""None alone -> Optional[Tensor], a guess; as a return it stays None."""

from __future__ import annotations

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Legal, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

LIKELY = (
    TypeExpr("int"),
    TypeExpr("float"),
    TypeExpr("bool"),
    TypeExpr("str"),
    TypeExpr("list", (TypeExpr("int"),)),
)


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """A parameter typed None makes dead code of every branch for the other case, so the other case is guessed."""
    if type != NONE:
        return None
    if context.kind is SlotKind.RETURN:
        return Legal(NONE, alternatives=(optional(TENSOR),))
    return Legal(optional(TENSOR), alternatives=tuple(map(optional, LIKELY)), guess=True)


def optional(type: TypeExpr) -> TypeExpr:
    """`Optional[type]`, where the type does not admit None already."""
    return type if type.name == "Optional" or type == NONE else TypeExpr("Optional", (type,))
