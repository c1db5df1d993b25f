"""bool, int, float, complex, str stay; numpy.float64 -> float, SymInt -> int."""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Legal
from pdt_annotate.values.types import TypeExpr

NUMPY: Mapping[str, tuple[str, ...]] = {
    "bool": ("bool", "bool_"),
    "int": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "longlong", "ulonglong", "intc"),
    "float": ("float16", "float32", "float64", "longdouble"),
    "complex": ("complex64", "complex128", "clongdouble"),
    "str": ("str_",),
}

SCALARS: Mapping[str, str] = {
    **{name: name for name in NUMPY},
    **{f"numpy.{alias}": name for name, aliases in NUMPY.items() for alias in aliases},
    "torch.SymInt": "int",
    "torch.SymFloat": "float",
    "torch.SymBool": "bool",
}
"""Observed name -> TorchScript's."""


def legalize(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """TorchScript converts the numpy and symbolic numbers on entry."""
    name = SCALARS.get(type.name)
    return Legal(TypeExpr(name)) if name else None
