"""A dataclass -> its name, where it is compiled at import."""

from __future__ import annotations

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import ClassKind, Illegal, Legal
from pdt_annotate.values.types import TypeExpr


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """The compiler finds the source of a generated __init__ only while the decorator runs."""
    info = context.info(type)
    if info is None or info.kind is not ClassKind.DATACLASS:
        return None
    if info.scripted:
        return Legal(TypeExpr(type.name))
    return Illegal("PDT018", type, f"the dataclass {info.qualname} is not decorated with @torch.jit.script")
