"""torch.Size -> List[int]."""

from __future__ import annotations

from pdt_annotate.ir import Legal, TypeExpr
from pdt_annotate.legalize.context import Context, Result

NAME = "torch.Size"
INTS = TypeExpr("list", (TypeExpr("int"),))


def legalize(type: TypeExpr, context: Context) -> Result | None:
    """In TorchScript `x.shape` is a List[int]; a Tuple would refuse what scripted callers pass."""
    return Legal(INTS) if type.name == NAME else None
