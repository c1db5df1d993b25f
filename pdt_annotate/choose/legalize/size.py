"""torch.Size -> List[int]."""

from __future__ import annotations

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Legal
from pdt_annotate.values.types import TypeExpr

NAME = "torch.Size"
INTS = TypeExpr("list", (TypeExpr("int"),))


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """In TorchScript `x.shape` is a List[int]; a Tuple would refuse what scripted callers pass."""
    return Legal(INTS) if type.name == NAME else None
