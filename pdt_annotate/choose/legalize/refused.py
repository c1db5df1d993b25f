"""Values that TorchScript does not know."""

from __future__ import annotations

from collections.abc import Mapping

from pdt_annotate.choose.legalize.context import Context, LegalOrNot
from pdt_annotate.values.slots import Illegal
from pdt_annotate.values.types import TypeExpr

REASONS: Mapping[str, str] = {
    "PDT010": "a function cannot be passed as a value in TorchScript",
    "PDT011": "TorchScript has no set type",
    "PDT012": "TorchScript code computes with tensors and cannot hold a numpy array",
    "PDT014": "TorchScript has no bytes type",
    "PDT015": "TorchScript has no type for {type} values",
}

FUNCTIONS = ("Callable", "function", "functools.partial", "torch._C.ScriptMethod")
SCRIPTED = ("torch._C.ScriptFunction", "torch.jit.ScriptFunction", "torch.jit.torch.jit.ScriptFunction")
DATES = ("datetime.date", "datetime.timedelta", "decimal.Decimal")
OTHERS = ("Any", "BaseException", "ellipsis", "generator", "object", "pathlib.PurePath", "range", "slice", "type")

# The code by the name of the class or of one of its bases. A type that no rule knows ends as PDT015 all the same.
CODES: Mapping[str, str] = {
    **dict.fromkeys((*FUNCTIONS, *SCRIPTED), "PDT010"),
    **dict.fromkeys(("set", "frozenset"), "PDT011"),
    "numpy.ndarray": "PDT012",
    **dict.fromkeys(("bytes", "bytearray", "memoryview"), "PDT014"),
    **dict.fromkeys((*DATES, *OTHERS), "PDT015"),
}


def legalize_module(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """An nn.Module -> illegal, but as the target or as a submodule.

    A `torch.jit.interface` type could replace it, but only its author knows its methods.
    """
    if not type.inherits("torch.nn.modules.module.Module"):
        return None
    return Illegal("PDT013", type, "a module cannot be passed to or returned from TorchScript code")


def legalize_refused(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Callable, set, ndarray, bytes, slice and their like -> illegal: TorchScript has no such type.

    Looked up by the class's own name, then by its bases, nearest first.
    """
    code = next((CODES[name] for name in (type.name, *type.bases) if name in CODES), None)
    return refuse(type, code) if code else None


def refuse(type: TypeExpr, code: str) -> Illegal:
    return Illegal(code, type, REASONS[code].format(type=type))
