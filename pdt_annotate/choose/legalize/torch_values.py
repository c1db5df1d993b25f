"""device, dtype, Generator, Stream, qscheme, PackedSequence stay; layout and memory_format -> int."""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Legal
from pdt_annotate.values.types import TypeExpr

NAMES: Mapping[str, str] = {
    "torch.device": "torch.device",
    "torch.dtype": "torch.dtype",
    "torch.qscheme": "torch.qscheme",
    "torch.Generator": "torch.Generator",
    "torch._C.Generator": "torch.Generator",
    "torch.Stream": "torch.Stream",
    "torch._C.Stream": "torch.Stream",
    "torch.nn.utils.rnn.PackedSequence": "torch.nn.utils.rnn.PackedSequence",
    "torch.layout": "int",
    "torch.memory_format": "int",
}
"""Observed name -> the name that the compiler knows. The last two are enumerations without a type of their own."""

INSTEAD: Mapping[str, tuple[TypeExpr, ...]] = {"torch.qscheme": (TypeExpr("int"),)}
"""What the compilers of releases take that do not know a name, such as 2.6."""


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """PackedSequence is a namedtuple class with a name of its own in the compiler."""
    name = NAMES.get(type.name)
    return Legal(TypeExpr(name), alternatives=INSTEAD.get(name, ())) if name else None
