"""An nn.Module -> illegal, but as the target or as a submodule."""

from __future__ import annotations

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Illegal
from pdt_annotate.values.types import TypeExpr

MODULE = "torch.nn.modules.module.Module"


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """A `torch.jit.interface` type could stand for it, but only its author can say which methods that has."""
    if not type.inherits(MODULE):
        return None
    return Illegal("PDT013", type, "a module cannot be passed to or returned from TorchScript code")
