"""A class of the user's -> its name, where it inherits from nothing; every other value -> illegal."""

from __future__ import annotations

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.choose.legalize.refused import refuse
from pdt_annotate.values.slots import ClassKind, Illegal, Legal
from pdt_annotate.values.types import TypeExpr


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Whether all its methods compile is for the verifier to find out."""
    info = context.info(type)
    if info is None or info.kind is not ClassKind.PLAIN:
        return refuse(type, "PDT015")
    if info.scripted or not info.bases:
        return Legal(TypeExpr(type.name))
    return Illegal("PDT019", type, f"{info.qualname} inherits from {info.bases[0]}, and TorchScript has no inheritance")
