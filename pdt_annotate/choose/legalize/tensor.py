"""Tensor, Parameter, Buffer and every other subclass -> Tensor."""

from __future__ import annotations

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Legal
from pdt_annotate.values.types import TENSOR, TypeExpr


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """A subclass is not kept: it compiles to Tensor, and its union with Tensor crashes the compiler."""
    return Legal(TENSOR) if type.inherits(TENSOR.name) else None
