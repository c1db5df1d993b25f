"""Calls that one exported program may serve: which sizes and ints vary among them, and which call is left out, why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pdt_annotate.captures.exporting.differences import difference
from pdt_annotate.captures.exporting.kinds import tensors_of
from pdt_annotate.captures.exporting.plan import ExportPlan, Range
from pdt_annotate.captures.exporting.sizes import (
    Wishes,
    name_groups,
    numbers_of,
    roots_in,
    sizes_of,
    spelled_path,
    values_of,
    vary_together,
)
from pdt_annotate.values.exports import Arrangement, Axis, CallSeen, ConstantSeen, Path, Seen, Where

SPECIAL = 2
"""A size or an int below this, in the example, is a constant to torch.export."""

K = TypeVar("K")


@dataclass(frozen=True)
class Group:
    """Calls that differ in sizes and ints alone.

    Args:
        calls: all of them.
        shown: those from which sizes are taken, and in which what torch wishes holds.
        witnesses: other calls with such tensors, among others: they show how the sizes of these vary.
        named: the axes that vary, by name.
        roots: by call, what the names come to; None where what torch wishes does not hold.
    """

    calls: Sequence[CallSeen]
    shown: Sequence[CallSeen]
    witnesses: Sequence[CallSeen]
    named: Mapping[str, tuple[Axis, ...]]
    roots: Mapping[int, Mapping[str, int] | None]
    wishes: Wishes

    @classmethod
    def of(
        cls, calls: Sequence[CallSeen], others: Sequence[CallSeen], wishes: Wishes, taken: frozenset[str]
    ) -> Group | None:
        shown = [call for call in calls if shows(call)]
        witnesses = [call for call in others if tensors_of(shown[0]) <= tensors_of(call)]
        columns = {axis: [sizes_of(call)[axis] for call in (*shown, *witnesses)] for axis in sizes_of(shown[0])}
        named = name_groups(vary_together(columns, wishes.fixed), columns, taken)
        roots = {call.number: roots_in(named, sizes_of(call), wishes) for call in (*calls, *witnesses)}
        shown, witnesses = ([call for call in each if roots[call.number] is not None] for each in (shown, witnesses))
        return cls(calls, shown, witnesses, named, roots, wishes) if shown else None

    @property
    def ranges(self) -> dict[str, Range]:
        """Of the roots."""
        return _ranges([self.roots[call.number] or {} for call in (*self.shown, *self.witnesses)])

    @property
    def names(self) -> dict[Axis, str]:
        """Of the axes that vary."""
        return {axis: name for name, group in self.named.items() for axis in group}

    @property
    def numbers(self) -> dict[Path, Range]:
        """Of the ints that vary."""
        ranges = _ranges([numbers_of(call) for call in self.shown])
        return {path: (low, high) for path, (low, high) in ranges.items() if low < high}

    @property
    def stuck(self) -> frozenset[Where]:
        """The axes that vary no more, in the calls that are left after what torch wished."""
        constant = {root for root, (low, high) in self.ranges.items() if low == high}
        names = [name for name in self.named if self.wishes.resolve(name).root in constant]
        return frozenset(axis for name in names for axis in self.named[name])

    def plan(self, calls: Sequence[CallSeen], passed: Arrangement) -> ExportPlan:
        """The program, among all calls."""
        example = max(self.shown, key=self._fitness)
        served = tuple(call for call in self.calls if not self._lacks(call, example))
        left = tuple((call, self._why(call, example)) for call in calls if call not in served)
        of_these = _ranges([self.roots[call.number] or {} for call in self.shown])
        witnesses = tuple(self.witnesses) if self.ranges != of_these else ()
        numbers, wishes = self.numbers, self.wishes
        arrangement = passed.without({name for name, seen in example.arguments.items() if _is_held(seen)})
        named, ranges = self.named, self.ranges
        plan = ExportPlan(arrangement, passed, example, {}, named, ranges, numbers, wishes, served, left, witnesses)
        return replace(plan, instead=plan.greatest) if self._special(example) else plan

    def _fitness(self, call: CallSeen) -> tuple[bool, int]:
        """How good an example it is: nothing that torch takes for a constant, and no two sizes equal by chance."""
        roots = self.roots[call.number] or {}
        return not self._special(call), len(set(roots.values()))

    def _special(self, call: CallSeen) -> list[Where]:
        values = values_of(call)
        varying: list[Where] = [*self.names, *self.numbers]
        return [where for where in varying if values[where] < SPECIAL]

    def _why(self, call: CallSeen, example: CallSeen) -> str:
        if call.apart:
            return call.apart
        if call.mode != example.mode:
            return f"it is made in {call.mode or 'another'} mode"
        return difference(call.arguments, example.arguments) or self._lacks(call, example)

    def _lacks(self, call: CallSeen, example: CallSeen) -> str:
        """Which size or int of a call that is alike is not as in the example, or not in the range that was seen."""
        there = numbers_of(example)
        for path, value in numbers_of(call).items():
            low, high = self.numbers.get(path, (there[path], there[path]))
            if not low <= value <= high:
                return f"`{spelled_path(path)}` is {value}, {_outside(low, high)}"
        return self._lacks_size(sizes_of(call), sizes_of(example)) or self._lacks_root(call)

    def _lacks_size(self, here: Mapping[Axis, int], there: Mapping[Axis, int]) -> str:
        names = self.names
        for (path, axis), size in here.items():
            if (path, axis) not in names and size != there[path, axis]:
                return f"size {axis} of `{spelled_path(path)}` is {size}, not {there[path, axis]}"
        return ""

    def _lacks_root(self, call: CallSeen) -> str:
        roots = self.roots.get(call.number)
        if roots is None:
            return "its sizes are not as torch.export asks for"
        for root, (low, high) in self.ranges.items():
            if not low <= roots[root] <= high:
                return f"`{root}` is {roots[root]}, {_outside(low, high)}"
        return ""


def _is_held(seen: Seen) -> bool:
    return isinstance(seen, ConstantSeen) and seen.held


def _outside(low: int, high: int) -> str:
    return f"not {low}" if low == high else f"outside {low} to {high}"


def _ranges(values: Sequence[Mapping[K, int]]) -> dict[K, Range]:
    """The least and the greatest of each."""
    return {key: (min(each[key] for each in values), max(each[key] for each in values)) for key in values[0]}


def shows(call: CallSeen) -> bool:
    """Whether sizes are taken from a call."""
    return not call.held_back and not call.apart
