"""What an export leaves: calls that it does not serve; sizes and ints that are constants in it, or bound to others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.captures.exporting.choose import ints_of_torch
from pdt_annotate.captures.exporting.plan import ExportPlan
from pdt_annotate.captures.exporting.sizes import Wishes, spelled_path, values_of
from pdt_annotate.captures.exporting.suggestions import reason_in
from pdt_annotate.values.exports import CallSeen, Exportable, Path, Where
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.torch_releases import FREE_INTS, since
from pdt_annotate.values.verdicts import Failure

NOT_SERVED = "PDT096"
CONSTANT = "PDT097"
BOUND = "PDT098"


@dataclass(frozen=True)
class ExportStep:
    """A program that torch.export refused, why, and what was asked for then."""

    before: ExportPlan
    failure: Failure
    asked: Wishes


def findings_of(steps: Sequence[ExportStep], plan: ExportPlan, exportable: Exportable) -> Iterator[Finding]:
    """What people must know of a program."""
    reason = f"torch.export takes every int for a constant before torch {since(FREE_INTS)}"
    yield from (_constant(path, plan, reason) for path in _ints_that_vary(plan, exportable))
    for step in steps:
        yield from _constants(step, plan)
        yield from _bounds(step)
    for call, why in plan.left:
        yield Finding(NOT_SERVED, f"`{call.name}`: {why}")


def _constants(step: ExportStep, plan: ExportPlan) -> Iterator[Finding]:
    for where in sorted(step.asked.fixed - step.before.wishes.fixed, key=str):
        yield _constant(where, plan, reason_in(step.failure), step.failure.place)


def _constant(where: Where, plan: ExportPlan, reason: str, place: Place = NO_PLACE) -> Finding:
    seen = _values_at(where, plan)
    told = f"{_named(where)} was {', '.join(map(str, seen))} in the calls, and is {_value(plan.example, where)} here"
    return Finding(CONSTANT, f"{told}: {reason}", place)


def _ints_that_vary(plan: ExportPlan, exportable: Exportable) -> list[Path]:
    """Of those that are constants to the torch that is here."""
    return [path for path in sorted(ints_of_torch(exportable), key=str) if len(_values_at(path, plan)) > 1]


def _values_at(where: Where, plan: ExportPlan) -> list[int]:
    calls = (*plan.served, *(call for call, _ in plan.left))
    return sorted({value for call in calls if (value := _value(call, where)) is not None})


def _bounds(step: ExportStep) -> Iterator[Finding]:
    before, after = step.before.wishes, step.asked
    reason = reason_in(step.failure)
    for name, size in after.sizes.items():
        if before.sizes.get(name) != size:
            yield Finding(BOUND, f"`{name}` is `{size}`: {reason}", step.failure.place)
    for name, (low, high) in after.ranges.items():
        is_narrower = name in step.before.ranges and not _is_within(step.before.ranges[name], (low, high))
        if before.ranges.get(name) != (low, high) and is_narrower:
            yield Finding(BOUND, f"`{name}` is {_within(low, high)}: {reason}", step.failure.place)


def _within(low: int, high: float) -> str:
    """
    >>> _within(0, 5), _within(6, float("inf"))
    ('at most 5', 'at least 6')
    """
    bounds = (f"at least {low}" if low else "", f"at most {high:g}" if high < float("inf") else "")
    return " and ".join(filter(None, bounds))


def _is_within(inner: tuple[int, int], outer: tuple[int, float]) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


def _value(call: CallSeen, where: Where) -> int | None:
    return values_of(call).get(where)


def _named(where: Where) -> str:
    """
    >>> _named((("x",), 1)), _named(("n",))
    ('size 1 of `x`', '`n`')
    """
    if where and isinstance(where[0], tuple):
        path, axis = where
        return f"size {axis} of `{spelled_path(path)}`"
    return f"`{spelled_path(where)}`"
