"""Where two traces of one program differ: line by line in operators, then in constants, then in how they are wired."""

from __future__ import annotations

import ast
import itertools
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.captures.lies.lines import deciding
from pdt_annotate.captures.lies.steps import Constant, Operation
from pdt_annotate.values.places import Place

LISTED = 3
"""So many operators or values at most are named."""


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
        if len(ours) == len(theirs):
            yield from _values_of(line, ours, theirs)


def _values_of(line: Place, ours: Sequence[Operation], theirs: Sequence[Operation]) -> Iterator[Differing]:
    for mine, yours in zip(ours, theirs, strict=True):
        if mine.operator == yours.operator and mine.constants != yours.constants:
            one, other = _unlike(mine.constants, yours.constants)
            told = (f"{one} in {mine.operator}", other)
            yield Differing(line, "a value", *told, by_control=False, lines=mine.places, path=mine.path)
            return


def _unlike(ours: Sequence[Constant], theirs: Sequence[Constant]) -> tuple[str, str]:
    if len(ours) != len(theirs):
        return f"{len(ours)} constants", f"{len(theirs)}"
    pairs = [pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]]
    return _listed(str(one) for one, _ in pairs), _listed(str(other) for _, other in pairs)


def _wiring(one: Sequence[Operation], other: Sequence[Operation]) -> Iterator[Differing]:
    """The first operator that takes something else, or that the tracer saw no line of."""
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            place, node = deciding(mine.places or yours.places)
            names = (mine.operator, yours.operator)
            alike = (f"one input of {names[0]}", "another")
            told = alike if names[0] == names[1] else names
            step = mine if mine.places else yours
            yield Differing(place, _baked_by(node), *told, lines=step.places, path=step.path)
            return
