"""What one exported program is: how it is called, which calls it serves, and which sizes vary in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pdt_annotate.captures.exporting.sizes import Wishes
from pdt_annotate.values.exports import Arrangement, Axis, CallSeen, Path, Where

Range = tuple[int, int]
"""The least and the greatest."""


@dataclass(frozen=True)
class ExportPlan:
    """One exported program.

    Args:
        arrangement: how it is called.
        passed: how it calls the target: with the same, and what it holds.
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
    passed: Arrangement
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
