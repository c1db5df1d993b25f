"""Calls like an example and unlike it: other values in its tensors, other sizes. Eager mode has to accept them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from pdt_annotate.processes.child.probes.space import Knowledge, aspects_of, make
from pdt_annotate.processes.child.probes.tree import leaves, mapped
from pdt_annotate.values.live import is_a
from pdt_annotate.values.runs import Call

Values = Callable[[torch.Tensor], torch.Tensor]

ONE = 1
"""A size that is often a case of its own, in which code is right to take another way."""


@dataclass(frozen=True)
class Drawn:
    """A call that no example made.

    Args:
        call: its name says, behind that of the example in quotes, what is other in it.
        respect: what is other in it; of the calls of one respect, the first that eager mode accepts is enough.
        thorough: no element of a tensor is as it was.
    """

    call: Call
    respect: str
    thorough: bool = False


def draw(call: Call) -> Iterator[Drawn]:
    """Calls to try in place of an example, those that tell most first."""
    tensors = [each for each in leaves(call) if is_a(each, torch.Tensor)]
    for change, thorough in (
        ({**TURNED, **SHIFTED}, True),
        (TURNED, not any(_kind_of(each) is int for each in tensors)),
    ):
        yield Drawn(_changed(call, change), "values", thorough and bool(tensors))
    yield Drawn(_changed(call, {float: torch.zeros_like}, "zeros"), "zeros")
    device = next((str(each.device) for each in tensors), "cpu")
    for aspect in aspects_of(call, None, Knowledge()):
        for size in aspect.telling if aspect.name[0] == "size" else ():
            name = f"'{call.name}' with size {size} in place of {aspect.name[1]}"
            if size != ONE:
                yield Drawn(replace(make(aspect.put(call, size), device), name=name), f"size {aspect.name[1]}")


TURNED: dict[type, Values] = {float: lambda x: torch.where(x == 0, 1, -x), bool: lambda x: ~x}
"""The other sign: what most branches ask."""

SHIFTED: dict[type, Values] = {int: lambda x: x + 1}
"""Indices and lengths, which may well be refused."""


def _kind_of(tensor: torch.Tensor) -> type:
    if tensor.is_floating_point() or tensor.is_complex():
        return float
    return bool if tensor.dtype is torch.bool else int


def _changed(call: Call, by_kind: dict[type, Values], what: str = "other values") -> Call:
    def change(value: Any) -> Any:
        if not is_a(value, torch.Tensor, torch.nn.Parameter) or _kind_of(value) not in by_kind:
            return value
        return by_kind[_kind_of(value)](value.detach()).to(value.dtype).requires_grad_(value.requires_grad)

    return replace(mapped(change, call), name=f"'{call.name}' with {what}")
