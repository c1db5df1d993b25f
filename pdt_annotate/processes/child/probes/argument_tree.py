"""The arguments of a call as a tree, copies of it with other parts, and drawn tensors for it."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from pdt_annotate.values.live import is_a
from pdt_annotate.values.runs import Call

Path = tuple[Any, ...]  # keys and indices from the call down: ("args", 0, "mask")


@dataclass(frozen=True)
class Spot:
    """A value somewhere in a call, with the compiler's type for it, if known."""

    path: Path
    value: Any
    type: Any = None


def spots_of(call: Call, schema: Any) -> Iterator[Spot]:
    """All values of a call, outer ones first; then the defaults of arguments that it leaves out."""
    arguments = [each for each in schema.arguments if each.name != "self"] if schema is not None else []
    by_name = {each.name: each.type for each in arguments}
    for index, value in enumerate(call.args):
        known = arguments[index].type if index < len(arguments) else None
        yield from _walk(Spot(("args", index), value, known))
    for name, value in call.kwargs.items():
        yield from _walk(Spot(("kwargs", name), value, by_name.get(name)))
    for argument in arguments[len(call.args) :]:
        if argument.name not in call.kwargs and argument.has_default_value():
            yield Spot(("kwargs", argument.name), argument.default_value, argument.type)


def _walk(spot: Spot) -> Iterator[Spot]:
    yield spot
    outer = spot.type.getElementType() if is_a(spot.type, torch.OptionalType) else spot.type
    for key, value in children(spot.value):
        inner = outer.getElementType() if is_a(outer, torch.ListType) else None
        inner = outer.getValueType() if is_a(outer, torch.DictType) else inner
        inner = outer.elements()[key] if is_a(outer, torch.TupleType) else inner
        yield from _walk(Spot((*spot.path, key), value, inner))


def children(value: Any) -> Iterator[tuple[Any, Any]]:
    """The items of a plain container, by index or key; empty for other values."""
    if is_a(value, dict):
        yield from value.items()
    elif is_a(value, list, tuple) and not is_a(value, torch.Size):
        yield from enumerate(value)


def rebuilt(value: Any, parts: list[Any]) -> Any:
    """A container of the same class with other parts, in the order of `children`."""
    if is_a(value, dict):
        return dict(zip(value, parts, strict=True))
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def changed(call: Call, path: Path, new: Any) -> Call:
    """A call with another value at a path, which may be a new keyword."""
    field, key, *rest = path
    if field == "args":
        return replace(call, args=_changed(call.args, (key, *rest), new))
    return replace(call, kwargs={**call.kwargs, key: _changed(call.kwargs[key], rest, new) if rest else new})


def _changed(value: Any, path: Any, new: Any) -> Any:
    if not path:
        return new
    return rebuilt(value, [_changed(v, path[1:], new) if k == path[0] else v for k, v in children(value)])


def mapped(function: Callable[[Any], Any], call: Call) -> Call:
    """A call with a function applied to everything that is not a plain container, in the order of `leaves`."""

    def apply(value: Any) -> Any:
        found = [part for _, part in children(value)]
        return rebuilt(value, [apply(part) for part in found]) if found else function(value)

    args = tuple(map(apply, call.args))
    return replace(call, args=args, kwargs={name: apply(value) for name, value in call.kwargs.items()})


def leaves(call: Call) -> list[Any]:
    found: list[Any] = []
    mapped(found.append, call)
    return found


SHORT = 12  # a tensor of at most this many elements is spelled with its values, so these are rounded
WHOLE = {"zeros": 0, "ones": 1, "nan": math.nan}  # fills of one value


@dataclass(frozen=True)
class Fill:
    """A recipe for a tensor, so that it can be shrunk, spelled and made again."""

    shape: tuple[int, ...]
    dtype: torch.dtype
    how: str  # one of `WHOLE`, "rand", "randn" or "randint", the last from `low` to `high`
    low: int = 0
    high: int = 1
    seed: int | None = 0  # a recipe without one is only spelled
    requires_grad: bool = False

    @property
    def drawn_in(self) -> torch.dtype:
        return self.dtype if self.dtype in (torch.float64, torch.complex64, torch.complex128) else torch.float32

    def make(self, device: str) -> torch.Tensor:
        generator = torch.Generator().manual_seed(self.seed or 0)
        if self.how in WHOLE:
            values = torch.full(self.shape, WHOLE[self.how], dtype=self.dtype)
        elif self.how == "randint":
            values = torch.randint(self.low, self.high + 1, self.shape, generator=generator)
        else:
            draw: Any = getattr(torch, self.how)
            values = draw(self.shape, generator=generator, dtype=self.drawn_in)
            values = (values * 100).round() / 100 if math.prod(self.shape) <= SHORT else values
        return values.to(self.dtype).to(device).requires_grad_(self.requires_grad)


def is_drawable(value: Any) -> bool:
    """Whether a tensor is plain enough to make similar ones."""
    if type(value) is not torch.Tensor or value.layout is not torch.strided:
        return False
    return not (value.is_quantized or value.is_meta or value.is_nested)


def like(tensor: torch.Tensor, shape: tuple[int, ...], seed: int | None) -> Fill:
    """A tensor of another shape with similar values; indices stay within the range of the original ones."""
    dtype, grad = tensor.dtype, tensor.requires_grad
    if tensor.numel() == 0:
        return Fill(shape, dtype, "zeros", requires_grad=grad)
    if dtype.is_complex:
        return Fill(shape, dtype, "randn", seed=seed, requires_grad=grad)
    low, high = (each.item() for each in torch.aminmax(tensor.detach().to(torch.float64)))
    if not dtype.is_floating_point:
        return Fill(shape, dtype, "randint", int(low), int(high), seed)
    return Fill(shape, dtype, "rand" if low >= 0 and high <= 1 else "randn", seed=seed, requires_grad=grad)
