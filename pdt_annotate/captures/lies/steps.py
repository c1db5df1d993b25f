"""A traced graph as a list of operators, each with what it takes: values by their number, constants by their value.

Names of values, types and shapes are left out, since these differ between any two calls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from pdt_annotate.captures.lies.lines import FileFilter, own, path_of, places_of
from pdt_annotate.values.live import is_a
from pdt_annotate.values.places import Place

RETURN = "return"

SHOWN = 3
"""So many elements of a tensor at most are told."""


@dataclass(frozen=True)
class Constant:
    """A value that stands in the graph; equal tensors are equal."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return is_a(other, Constant) and _same(self.value, other.value)  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return hash(type(self.value))

    def __str__(self) -> str:
        if not is_a(self.value, torch.Tensor):
            return repr(self.value)
        if self.value.numel() == 1:
            return repr(self.value.item())
        first = ", ".join(f"{each:.4g}" for each in self.value.flatten()[:SHOWN].double().tolist())
        return f"[{first}, …] of shape {list(self.value.shape)}"


@dataclass(frozen=True)
class Operation:
    """One operator: its name, what it takes, the user's lines that ran it, innermost first, and its module's path."""

    operator: str
    takes: tuple[Any, ...]
    places: tuple[Place, ...] = field(default=(), compare=False)
    path: str = field(default="", compare=False)

    @property
    def constants(self) -> tuple[Constant, ...]:
        return tuple(_constants(self.takes))


def steps_of(graph: Any, is_ours: FileFilter) -> tuple[Operation, ...]:
    """The operators of a `torch._C.Graph` in order, those of inner blocks after what holds them; what it returns last.

    Constants, attributes and lists stand in what takes them, as it means nothing where the tracer put them.
    """
    return tuple(_Reading(is_ours).read(graph))


class _Reading:
    def __init__(self, is_ours: FileFilter) -> None:
        self.is_ours = is_ours
        self.known: dict[str, Any] = {}
        self.count = 0

    def read(self, block: Any) -> Iterator[Operation]:
        for value in block.inputs():
            self._number(value)
        for node in block.nodes():
            if node.kind() in FOLDED:
                self.known[node.output().debugName()] = FOLDED[node.kind()](node, self._known(node.inputs()))
                continue
            yield Operation(node.kind(), self._known(node.inputs()), own(places_of(node), self.is_ours), path_of(node))
            for value in node.outputs():
                self._number(value)
            for inner in node.blocks():
                yield from self.read(inner)
        yield Operation(RETURN, self._known(block.outputs()))

    def _number(self, value: Any) -> None:
        self.known[value.debugName()] = self.count
        self.count += 1

    def _known(self, values: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(self.known[value.debugName()] for value in values)


def _constant(node: Any, _: tuple[Any, ...]) -> Constant:
    return Constant(node.output().toIValue() if node.hasAttribute("value") else None)


FOLDED: dict[str, Callable[[Any, tuple[Any, ...]], Any]] = {
    "prim::Constant": _constant,
    "prim::GetAttr": lambda node, taken: (*taken, node.s("name")),
    "prim::ListConstruct": lambda node, taken: ("list", *taken),
    "prim::TupleConstruct": lambda node, taken: ("tuple", *taken),
}


def _constants(taken: Any) -> Iterator[Constant]:
    for each in taken:
        if is_a(each, Constant):
            yield each
        elif is_a(each, tuple):
            yield from _constants(each)


def _same(one: Any, other: Any) -> bool:
    if is_a(one, torch.Tensor) and is_a(other, torch.Tensor):
        return one.shape == other.shape and one.dtype == other.dtype and bool(_equal(one, other))
    return type(one) is type(other) and bool(one == other or (one != one and other != other))


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    nans = (one != one) & (other != other)
    return bool(((one == other) | nans).all())
