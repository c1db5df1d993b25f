"""Union[T, None] -> Optional[T]."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.choose.legalize.compose import distinct
from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.choose.legalize.none import optional
from pdt_annotate.values.slots import Illegal
from pdt_annotate.values.types import NONE, TypeExpr, union


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """What is left without None is legalized by itself, and so are its alternatives made Optional."""
    members = union(type).args if type.name in ("Union", "Optional") else ()
    if NONE not in members:
        return None
    inner = context.legalize(union(*(member for member in members if member != NONE)))
    if isinstance(inner, Illegal):
        return inner
    whole = optional(inner.type)
    return replace(inner, type=whole, alternatives=distinct(whole, map(optional, inner.alternatives)))
