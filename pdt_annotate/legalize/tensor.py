"""Tensor, Parameter, Buffer and every other subclass -> Tensor."""

from __future__ import annotations

from pdt_annotate.ir import TENSOR, Legal, TypeExpr
from pdt_annotate.legalize.context import Context, Result


def legalize(type: TypeExpr, context: Context) -> Result | None:
    """A subclass is not kept: it compiles to Tensor, and its union with Tensor crashes the compiler."""
    return Legal(TENSOR) if type.inherits(TENSOR.name) else None
