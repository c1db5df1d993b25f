"""Future[T] -> torch.futures.Future[T]."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.choose.legalize.compose import container
from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Illegal, Legal
from pdt_annotate.values.types import TENSOR, TypeExpr

NAME = "torch.futures.Future"


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """One that was not done when it was seen says nothing of its value, which is guessed to be a Tensor."""
    if not type.inherits(NAME, "torch._C.Future"):
        return None
    result = container(NAME, [context.legalize(arg) for arg in type.args] or [Legal(TENSOR)])
    return result if type.args or isinstance(result, Illegal) else replace(result, guess=True)
