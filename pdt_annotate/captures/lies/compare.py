"""A traced graph as a list of operators, and where two such lists of one program differ.

An operator has what it takes: values by their number, constants by their value. Names of values, types and shapes are
left out, since these differ between any two calls. What differs is found line by line: in operators, then in constants,
then in how they are wired.
"""

from __future__ import annotations

import ast
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from pdt_annotate.captures.lies.lines import FileFilter, deciding, own, path_of, places_of
from pdt_annotate.values.live import is_a
from pdt_annotate.values.places import Place

RETURN = "return"

SHOWN = 3  # how many elements of a tensor are shown at most

LISTED = 3  # how many operators or values are named at most


@dataclass(frozen=True)
class Constant:
    """A constant of the graph; equal tensors are equal."""

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


FOLDED: dict[str, Callable[[Any, tuple[Any, ...]], Any]] = {
    "prim::Constant": lambda node, _: Constant(node.output().toIValue() if node.hasAttribute("value") else None),
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
        if one.shape != other.shape or one.dtype != other.dtype:
            return False
        nans = (one != one) & (other != other)
        return bool(((one == other) | nans).all())
    return type(one) is type(other) and bool(one == other or (one != one and other != other))


@dataclass(frozen=True)
class Differing:
    """A line at which two traces differ.

    Args:
        place: the loop or branch that makes it so, or else the line.
        baked: what the trace keeps: how often a loop ran, which way a branch went, a value.
        one: what the first trace has there, in words.
        other: what the second has.
        by_control: the operators differ, and not only their constants.
        lines: that ran an operator there that differs, the innermost first.
        path: the module that ran it, from what was traced.
    """

    place: Place
    baked: str
    one: str
    other: str
    by_control: bool = True
    lines: tuple[Place, ...] = ()
    path: str = ""


def compare(one: Sequence[Operation], other: Sequence[Operation]) -> tuple[Differing, ...]:
    """The lines at which two traces differ, a line once; empty for equal traces, whatever their values are named."""
    if one == other:
        return ()
    found = {each.place: each for each in reversed((*_operators(one, other), *_values(one, other)))}
    return tuple(reversed(found.values())) or tuple(_wiring(one, other))


def _by_line(steps: Sequence[Operation]) -> Mapping[Place, list[Operation]]:
    lines: defaultdict[Place, list[Operation]] = defaultdict(list)
    for step in steps:
        if step.places:
            lines[step.places[0]].append(step)
    return lines


def _operators(one: Sequence[Operation], other: Sequence[Operation]) -> Iterator[Differing]:
    first, second = _by_line(one), _by_line(other)
    for line in dict.fromkeys((*first, *second)):
        ours, theirs = first.get(line, []), second.get(line, [])
        if [step.operator for step in ours] != [step.operator for step in theirs]:
            step = (ours or theirs)[0]
            place, node = deciding(step.places)
            yield Differing(place, _baked_by(node), *_counts(ours, theirs), lines=step.places, path=step.path)


def _baked_by(node: ast.AST | None) -> str:
    if node is None:
        return "what Python did"
    return "which way this branches" if isinstance(node, (ast.If, ast.IfExp)) else "how often this loops"


def _counts(ours: Sequence[Operation], theirs: Sequence[Operation]) -> tuple[str, str]:
    """How often each of the operators that differ in number stands in either; all of them where none does."""
    one, other = (Counter(step.operator for step in each) for each in (ours, theirs))
    names = [name for name in {**one, **other} if one[name] != other[name]] or list(one)
    said = [_listed(f"{each[name] or 'no'} {name}" for name in names) for each in (one, other)]
    return said[0], said[1]


def _listed(words: Iterator[str]) -> str:
    *most, last = (*itertools.islice(words, LISTED), *(["more"] if next(words, None) else []))
    return f"{', '.join(most)} and {last}" if most else last


def _values(one: Sequence[Operation], other: Sequence[Operation]) -> Iterator[Differing]:
    """The constants that differ at lines that run the same operators."""
    first, second = _by_line(one), _by_line(other)
    for line, ours in first.items():
        theirs = second.get(line, [])
        pairs = zip(ours, theirs, strict=True) if len(ours) == len(theirs) else ()
        alike = (pair for pair in pairs if pair[0].operator == pair[1].operator)
        for mine, yours in alike:
            if mine.constants != yours.constants:
                this, that = _unlike(mine.constants, yours.constants)
                said = (f"{this} in {mine.operator}", that)
                yield Differing(line, "a value", *said, by_control=False, lines=mine.places, path=mine.path)
                break


def _unlike(ours: Sequence[Constant], theirs: Sequence[Constant]) -> tuple[str, str]:
    if len(ours) != len(theirs):
        return f"{len(ours)} constants", f"{len(theirs)}"
    pairs = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    return _listed(str(one) for one, _ in pairs), _listed(str(other) for _, other in pairs)


def _wiring(one: Sequence[Operation], other: Sequence[Operation]) -> Iterator[Differing]:
    """The first operator that takes something else, or that the tracer saw no line of."""
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            step = mine if mine.places else yours
            place, node = deciding(step.places)
            said = (mine.operator, yours.operator)
            if mine.operator == yours.operator:
                said = (f"one input of {mine.operator}", "another")
            yield Differing(place, _baked_by(node), *said, lines=step.places, path=step.path)
            return
