"""A traced graph as a list of operators, and the differences between two such lists of one program, line by line.

An operator has its inputs: values by their number, constants by their value. Names of values, types and shapes are left
out, since these differ between any two calls.
"""

import ast
import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree as pytree

from pdt_annotate.captures.unsound.lines import deciding, own, places_of
from pdt_annotate.observers.files import FileFilter
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.live import is_a
from pdt_annotate.values.slots import Place

SHOWN = 3  # elements of a tensor, at most
LISTED = 3  # operators or values, at most


@dataclass(frozen=True)
class Constant:
    """A constant of the graph; equal tensors are equal."""

    value: Any

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Constant):
            return False
        one, another = self.value, other.value
        if is_a(one, torch.Tensor) and is_a(another, torch.Tensor):
            if one.shape != another.shape or one.dtype != another.dtype:
                return False
            nans = (one != one) & (another != another)
            return bool(((one == another) | nans).all())
        return type(one) is type(another) and bool(one == another or (one != one and another != another))

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
    """One operator: its name, its inputs, the user's lines that ran it, innermost first, and its module's path."""

    operator: str
    takes: tuple[Any, ...]
    places: tuple[Place, ...] = field(default=(), compare=False)
    path: str = field(default="", compare=False)

    @property
    def constants(self) -> tuple[Constant, ...]:
        return tuple(each for each in pytree.tree_leaves(self.takes) if is_a(each, Constant))


def steps_of(graph: Any, is_ours: FileFilter) -> tuple[Operation, ...]:
    """The operators of a `torch._C.Graph` in order, inner blocks after the operator that holds them, the return last.

    Constants, attributes and lists are part of the operators that take them: their place in the graph means nothing.
    """
    numbers = itertools.count()
    known: dict[str, Any] = {}

    def inputs(values: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(known[value.debugName()] for value in values)

    def read(block: Any) -> Iterator[Operation]:
        known.update((value.debugName(), next(numbers)) for value in block.inputs())
        for node in block.nodes():
            if node.kind() in FOLDED:
                known[node.output().debugName()] = FOLDED[node.kind()](node, inputs(node.inputs()))
                continue
            # The path of the module that ran it, from the one that was traced.
            path = str(node.scopeName()).rpartition("/")[2].removeprefix("__module").removeprefix(".")
            yield Operation(node.kind(), inputs(node.inputs()), own(places_of(node), is_ours), path)
            known.update((value.debugName(), next(numbers)) for value in node.outputs())
            for inner in node.blocks():
                yield from read(inner)
        yield Operation("return", inputs(block.outputs()))

    return tuple(read(graph))


FOLDED: dict[str, Callable[[Any, tuple[Any, ...]], Any]] = {
    "prim::Constant": lambda node, _: Constant(node.output().toIValue() if node.hasAttribute("value") else None),
    "prim::GetAttr": lambda node, taken: (*taken, node.s("name")),
    "prim::ListConstruct": lambda node, taken: ("list", *taken),
    "prim::TupleConstruct": lambda node, taken: ("tuple", *taken),
}


@dataclass(frozen=True)
class Differing:
    """A line at which two traces differ."""

    place: Place  # the loop or branch that causes it, or else the line
    baked: str  # the fact that the trace keeps: how often a loop ran, which way a branch went, a value
    one: str  # the operators or constants of the first trace, in words
    other: str  # those of the second
    by_control: bool = True  # the operators differ, and not only their constants
    lines: tuple[Place, ...] = ()  # the user's lines that ran an operator that differs, the innermost first
    path: str = ""  # the module that ran it, from the traced one


def compare(one: Sequence[Operation], other: Sequence[Operation]) -> tuple[Differing, ...]:
    """The lines at which two traces differ, each once."""
    if one == other:
        return ()
    found = {each.place: each for each in reversed([*_differing(one, other)])}
    if found:
        return tuple(reversed(found.values()))
    # The first operator that takes something else, or that the tracer saw no line of.
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            step = mine if mine.places else yours
            place, node = deciding(step.places)
            is_same = mine.operator == yours.operator
            said = (f"one input of {mine.operator}", "another") if is_same else (mine.operator, yours.operator)
            return (Differing(place, _baked_by(node), *said, lines=step.places, path=step.path),)
    return ()


def _differing(one: Sequence[Operation], other: Sequence[Operation]) -> Iterator[Differing]:
    """The lines that run other operators, then the lines that run the same ones with other constants."""
    first, second = (grouped((step.places[0], step) for step in steps if step.places) for steps in (one, other))
    for line in dict.fromkeys((*first, *second)):
        ours, theirs = first.get(line, []), second.get(line, [])
        if [step.operator for step in ours] != [step.operator for step in theirs]:
            step = (ours or theirs)[0]
            place, node = deciding(step.places)
            # How often either has each operator that differs in number; all operators if none does.
            counts = [Counter(step.operator for step in each) for each in (ours, theirs)]
            names = [name for name in counts[0] | counts[1] if counts[0][name] != counts[1][name]] or list(counts[0])
            said = [_listed(f"{each[name] or 'no'} {name}" for name in names) for each in counts]
            yield Differing(place, _baked_by(node), said[0], said[1], lines=step.places, path=step.path)
    for line, ours in first.items():
        theirs = second.get(line, [])
        for mine, yours in zip(ours, theirs, strict=True) if len(ours) == len(theirs) else ():
            if mine.operator != yours.operator or mine.constants == yours.constants:
                continue
            this, that = f"{len(mine.constants)} constants", str(len(yours.constants))
            if len(mine.constants) == len(yours.constants):
                unlike = [each for each in zip(mine.constants, yours.constants, strict=True) if each[0] != each[1]]
                this, that = (_listed(map(str, each)) for each in zip(*unlike, strict=True))
            this = f"{this} in {mine.operator}"
            yield Differing(line, "a value", this, that, by_control=False, lines=mine.places, path=mine.path)
            break


def _baked_by(node: ast.AST | None) -> str:
    if node is None:
        return "the operators that ran"
    return "the branch taken here" if isinstance(node, (ast.If, ast.IfExp)) else "the number of iterations of this loop"


def _listed(words: Iterator[str]) -> str:
    *most, last = (*itertools.islice(words, LISTED), *(["more"] if next(words, None) else []))
    return f"{', '.join(most)} and {last}" if most else last
