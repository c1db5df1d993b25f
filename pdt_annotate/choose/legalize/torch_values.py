"""Tensors and the other values that torch brings along."""

from collections.abc import Mapping
from dataclasses import replace

from pdt_annotate.choose.legalize.rule_context import Context, LegalOrNot, container
from pdt_annotate.values.slots import Illegal, Legal
from pdt_annotate.values.types import INT, TENSOR, TypeExpr

# Observed name -> the name that the compiler knows. The last two are enumerations without a type of their own.
NAMES: Mapping[str, str] = {
    **{name: name for name in ("torch.device", "torch.dtype", "torch.qscheme", "torch.Generator", "torch.Stream")},
    "torch._C.Generator": "torch.Generator",
    "torch._C.Stream": "torch.Stream",
    "torch.nn.utils.rnn.PackedSequence": "torch.nn.utils.rnn.PackedSequence",
    "torch.layout": "int",
    "torch.memory_format": "int",
}
# Alternatives for releases whose compiler does not know a name, such as 2.6.
INSTEAD: Mapping[str, tuple[TypeExpr, ...]] = {"torch.qscheme": (INT,)}

SIZE, FUTURE = "torch.Size", "torch.futures.Future"
INTS = TypeExpr("list", (INT,))


def legalize_tensor(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Tensor, Parameter, Buffer and every other subclass -> Tensor.

    A subclass is not kept: it compiles to Tensor, and its union with Tensor crashes the compiler.
    """
    return Legal(TENSOR) if type.inherits(TENSOR.name) else None


def legalize_torch_value(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """device, dtype, Generator, Stream, qscheme, PackedSequence stay; layout and memory_format -> int."""
    name = NAMES.get(type.name)
    return Legal(TypeExpr(name), alternatives=INSTEAD.get(name, ())) if name else None


def legalize_size(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """torch.Size -> List[int].

    In TorchScript `x.shape` is a List[int]; a Tuple would refuse the values that scripted callers pass.
    """
    return Legal(INTS) if type.name == SIZE else None


def legalize_future(type: TypeExpr, context: Context) -> LegalOrNot | None:
    """Future[T] -> torch.futures.Future[T].

    One that was not done when it was seen does not show its value, which is guessed to be a Tensor.
    """
    if not type.inherits(FUTURE, "torch._C.Future"):
        return None
    result = container(FUTURE, [context.legalize(arg) for arg in type.args] or [Legal(TENSOR)])
    return result if type.args or isinstance(result, Illegal) else replace(result, guess=True)
