"""Values that TorchScript does not know."""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Illegal
from pdt_annotate.values.types import TypeExpr

MODULE = "torch.nn.modules.module.Module"

OTHER = "TorchScript has no type for {type} values"

REASONS: Mapping[str, str] = {
    "PDT010": "a function cannot be passed as a value in TorchScript",
    "PDT011": "TorchScript has no set type",
    "PDT012": "TorchScript code computes with tensors and cannot hold a numpy array",
    "PDT014": "TorchScript has no bytes type",
    "PDT015": OTHER,
}

CODES: Mapping[str, str] = {
    "Callable": "PDT010",
    "function": "PDT010",
    "functools.partial": "PDT010",
    "torch._C.ScriptFunction": "PDT010",
    "torch.jit.ScriptFunction": "PDT010",
    "torch.jit.torch.jit.ScriptFunction": "PDT010",
    "torch._C.ScriptMethod": "PDT010",
    "set": "PDT011",
    "frozenset": "PDT011",
    "numpy.ndarray": "PDT012",
    "bytes": "PDT014",
    "bytearray": "PDT014",
    "memoryview": "PDT014",
    "Any": "PDT015",
    "BaseException": "PDT015",
    "datetime.date": "PDT015",
    "datetime.timedelta": "PDT015",
    "decimal.Decimal": "PDT015",
    "ellipsis": "PDT015",
    "generator": "PDT015",
    "object": "PDT015",
    "pathlib.PurePath": "PDT015",
    "range": "PDT015",
    "slice": "PDT015",
    "type": "PDT015",
}
"""The code by the name of the class or of one of its bases. What no rule knows ends as PDT015 all the same."""


def legalize_module(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """An nn.Module -> illegal, but as the target or as a submodule.

    A `torch.jit.interface` type could stand for it, but only its author can say which methods that has.
    """
    if not type.inherits(MODULE):
        return None
    return Illegal("PDT013", type, "a module cannot be passed to or returned from TorchScript code")


def legalize_refused(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Callable, set, ndarray, bytes, slice and their like -> illegal: TorchScript has no such type.

    Looked up by the class's own name, then by its bases, nearest first.
    """
    code = next((CODES[name] for name in (type.name, *type.bases) if name in CODES), None)
    return refuse(type, code) if code else None


def refuse(type: TypeExpr, code: str) -> Illegal:
    """The type, illegal for the reason of that code."""
    return Illegal(code, type, REASONS[code].format(type=type))
