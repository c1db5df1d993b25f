"""Union[str, device] -> device, which TorchScript also makes of a string on entry."""

from __future__ import annotations

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Legal
from pdt_annotate.values.types import TypeExpr

STR, DEVICE = TypeExpr("str"), TypeExpr("torch.device")
BOTH = TypeExpr("Union", (STR, DEVICE))


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """The Union fits nothing that takes a device; it is kept for code that looks at which of the two it got."""
    if type.name != "Union" or set(type.args) != {STR, DEVICE}:
        return None
    first, second = (DEVICE, BOTH) if context.converts else (BOTH, DEVICE)
    return Legal(first, alternatives=(second,))
