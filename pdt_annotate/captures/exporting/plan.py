"""Which calls one exported program serves, and with which sizes: by what calls were seen to be, and what torch asks."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from pdt_annotate.captures.exporting.differences import difference
from pdt_annotate.captures.exporting.sizes import (
    Wishes,
    leaves,
    name_groups,
    numbers_of,
    roots_in,
    sizes_of,
    spelled_path,
    values_of,
    vary_together,
)
from pdt_annotate.values.exports import (
    Arrangement,
    Axis,
    CallSeen,
    ConstantSeen,
    Exportable,
    NamedParameter,
    NestSeen,
    Path,
    Seen,
    TensorSeen,
    Where,
)

SPECIAL = 2
"""A size or an int below this, in the example, is a constant to torch.export."""

RESERVED = frozenset(
    ("HERE", "Dim", "Path", "Target", "args", "build", "dynamic_shapes", "export", "importlib", "kwargs", "load")
) | {"program", "sys", "torch"}
"""Names that the file has."""

Range = tuple[int, int]
K = TypeVar("K")


@dataclass(frozen=True)
class ExportPlan:
    """One exported program.

    Args:
        arrangement: how it is called.
        example: the call that it is made from.
        instead: what the example has instead of a size or an int that torch would take for a constant.
        named: by name, the axes whose size has it.
        ranges: by root, the least and the greatest that was seen in the calls that are served.
        numbers: by path, the same of an int that varies.
        wishes: what torch asked for.
        served: the calls that it serves, held-back ones included.
        left: the others, each with why.
        witnesses: those of them that showed how sizes vary.
    """

    arrangement: Arrangement
    example: CallSeen
    instead: Mapping[Where, int]
    named: Mapping[str, tuple[Axis, ...]]
    ranges: Mapping[str, Range]
    numbers: Mapping[Path, Range]
    wishes: Wishes
    served: tuple[CallSeen, ...]
    left: tuple[tuple[CallSeen, str], ...]
    witnesses: tuple[CallSeen, ...] = ()

    @property
    def ends(self) -> tuple[Mapping[Where, int], ...]:
        """The sizes of the example at the ends of what only witnesses showed; none where every size was served."""
        if not self.witnesses:
            return ()
        return tuple(self.sizes_at({root: ends[end] for root, ends in self.ranges.items()}) for end in (0, 1))

    def sizes_at(self, roots: Mapping[str, int]) -> dict[Where, int]:
        """The sizes that vary, for values of the roots."""
        sizes = {name: self.wishes.resolve(name) for name in self.named}
        return {
            axis: sizes[name].factor * roots[sizes[name].root] + sizes[name].offset
            for name, group in self.named.items()
            for axis in group
        }

    @property
    def greatest(self) -> dict[Where, int]:
        """Every size and int that varies, as great as it was seen."""
        sizes = self.sizes_at({root: high for root, (_, high) in self.ranges.items()})
        return sizes | {path: high for path, (_, high) in self.numbers.items()}

    @property
    def axes(self) -> frozenset[Axis]:
        """Those that vary."""
        return frozenset(axis for group in self.named.values() for axis in group)

    @property
    def shown(self) -> frozenset[int]:
        """The numbers of the calls that it serves, without those held back."""
        return frozenset(call.number for call in self.served if not call.held_back)

    def without(self, refused: Mapping[int, str]) -> ExportPlan:
        """The same program, for fewer calls: without those of some numbers, each with why."""
        left = [(call, refused[call.number]) for call in self.served if call.number in refused]
        served = tuple(call for call in self.served if call.number not in refused)
        return replace(self, served=served, left=(*self.left, *left))


NO_WISHES = Wishes()


def make_plan(exportable: Exportable, wishes: Wishes = NO_WISHES) -> ExportPlan | None:
    """The program that serves the most calls; None where it would serve none."""
    filled = [_fill(call, exportable.parameters, wishes.apart) for call in exportable.calls]
    kinds = {call.number: _kind(call, wishes.fixed) for call in filled}
    shown = Counter(kinds[call.number] for call in filled if _shows(call))
    if not shown:
        return None
    held_back = Counter(kinds[call.number] for call in filled if call.held_back and not call.apart)
    chosen = max(shown, key=lambda kind: (shown[kind], held_back[kind]))
    alike = [call for call in filled if kinds[call.number] == chosen and not call.apart]
    others = [] if wishes.alone else [call for call in filled if call not in alike and _shows(call)]
    group = _Group.of(alike, others, wishes, _taken(exportable))
    if group is None:
        return None
    if group.stuck:
        return make_plan(exportable, replace(wishes, fixed=wishes.fixed | group.stuck))
    numbers = {call.number for call in alike}
    passed = [call for call in exportable.calls if call.number in numbers]
    return group.plan(filled, arrange(exportable.parameters, passed))


def _taken(exportable: Exportable) -> frozenset[str]:
    """The names that the file has for something else than sizes."""
    return RESERVED | {each.name or each.module for each in exportable.building.imports}


def _shows(call: CallSeen) -> bool:
    return not call.held_back and not call.apart


def _fill(call: CallSeen, parameters: Iterable[NamedParameter], apart: Mapping[int, str]) -> CallSeen:
    """The call with the defaults of what it leaves out, and why it is not served where that is known already."""
    defaults = {each.name: each.default for each in parameters if each.default is not None}
    return replace(call, arguments={**defaults, **call.arguments}, apart=call.apart or apart.get(call.number, ""))


def _kind(call: CallSeen, fixed: frozenset[Where]) -> tuple[object, ...]:
    """What is equal in all calls that one program serves, whatever their sizes."""
    found = leaves(call.arguments)
    sizes = {axis: size for axis, size in sizes_of(call).items() if axis in fixed}
    numbers = {path: value for path, value in numbers_of(call).items() if path in fixed}
    nests = tuple(_structure(call.arguments[name]) for name in sorted(call.arguments))
    return (
        call.mode,
        frozenset(call.arguments),
        nests,
        frozenset((path, _leaf_kind(seen)) for path, seen in found.items()),
        frozenset(sizes.items()),
        frozenset(numbers.items()),
    )


def _tensors(call: CallSeen) -> frozenset[tuple[Path, object]]:
    found = leaves(call.arguments)
    return frozenset((path, _leaf_kind(seen)) for path, seen in found.items() if isinstance(seen, TensorSeen))


def _structure(seen: Seen) -> object:
    return (seen.kind, seen.keys, tuple(map(_structure, seen.parts))) if isinstance(seen, NestSeen) else None


def _leaf_kind(seen: Seen) -> object:
    if isinstance(seen, TensorSeen):
        return seen.kind, len(seen.shape)
    return seen.text if isinstance(seen, ConstantSeen) else None


def arrange(parameters: Sequence[NamedParameter], calls: Sequence[CallSeen]) -> Arrangement:
    """How the program is called: what comes first and was ever passed by position goes so, the rest by keyword.

    What stands before a parameter that only a position can reach goes by position, too.
    """
    passed = [each for each in parameters if any(each.name in call.arguments for call in calls)]
    ever = frozenset[str]().union(*(call.by_position for call in calls))
    must = max((number for number, each in enumerate(passed, start=1) if not each.keyword), default=0)
    first = itertools.takewhile(
        lambda numbered: numbered[0] < must or (numbered[1].positional and numbered[1].name in ever), enumerate(passed)
    )
    names = [each.name for each in passed]
    count = len(list(first))
    return Arrangement(tuple(names[:count]), tuple(names[count:]))


@dataclass(frozen=True)
class _Group:
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
    ) -> _Group | None:
        shown = [call for call in calls if _shows(call)]
        witnesses = [call for call in others if _tensors(shown[0]) <= _tensors(call)]
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

    def plan(self, calls: Sequence[CallSeen], arrangement: Arrangement) -> ExportPlan:
        """The program, among all calls."""
        example = max(self.shown, key=self._fitness)
        served = tuple(call for call in self.calls if not self._lacks(call, example))
        left = tuple((call, self._why(call, example)) for call in calls if call not in served)
        of_these = _ranges([self.roots[call.number] or {} for call in self.shown])
        witnesses = tuple(self.witnesses) if self.ranges != of_these else ()
        numbers, wishes = self.numbers, self.wishes
        plan = ExportPlan(arrangement, example, {}, self.named, self.ranges, numbers, wishes, served, left, witnesses)
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


def _outside(low: int, high: int) -> str:
    return f"not {low}" if low == high else f"outside {low} to {high}"


def _ranges(values: Sequence[Mapping[K, int]]) -> dict[K, Range]:
    """The least and the greatest of each."""
    return {key: (min(each[key] for each in values), max(each[key] for each in values)) for key in values[0]}
