"""What an export leaves: calls that it does not serve; sizes and ints that are constants in it, or bound to others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.captures.exporting.plan import ExportPlan
from pdt_annotate.captures.exporting.sizes import Wishes, spelled_path, values_of
from pdt_annotate.captures.exporting.suggestions import reason_in
from pdt_annotate.values.exports import CallSeen, Where
from pdt_annotate.values.slots import Finding
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


def findings_of(steps: Sequence[ExportStep], plan: ExportPlan) -> Iterator[Finding]:
    """What people must know of a program."""
    for step in steps:
        yield from _constants(step, plan)
        yield from _bounds(step)
    for call, why in plan.left:
        yield Finding(NOT_SERVED, f"`{call.name}`: {why}")


def _constants(step: ExportStep, plan: ExportPlan) -> Iterator[Finding]:
    reason = reason_in(step.failure)
    calls = (*plan.served, *(call for call, _ in plan.left))
    for where in sorted(step.asked.fixed - step.before.wishes.fixed, key=str):
        seen = sorted({value for call in calls if (value := _value(call, where)) is not None})
        told = (
            f"{_named(where)} was {', '.join(map(str, seen))} in the calls, and is {_value(plan.example, where)} here"
        )
        yield Finding(CONSTANT, f"{told}: {reason}", step.failure.place)


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
