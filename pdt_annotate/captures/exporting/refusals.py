"""Constraints on sizes, read from torch.export's messages, and the findings about an exported program."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pdt_annotate.captures.exporting.export_plan import ExportPlan, Size, Wishes
from pdt_annotate.values.exports import Axis, sizes_of, spelled_path
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import Failure

NOT_SERVED, CONSTANT, BOUND = "PDT096", "PDT097", "PDT098"
FIXED = re.compile(r"^ *(?P<name>\w+) = (?P<value>\d+)$", re.MULTILINE)
RANGE = re.compile(r"^ *(?P<name>\w+) = Dim\('\w+'(?:, min=(?P<low>\d+))?(?:, max=(?P<high>\d+))?\)$", re.MULTILINE)
RELATION = re.compile(
    r"^ *(?P<name>\w+) = (?:(?P<factor>\d+)\*)?(?P<root>(?!\d)\w+)(?: (?P<sign>[+-]) (?P<offset>\d+))?$", re.MULTILINE
)
BULLET = re.compile(r"^  - (?P<said>.+)$", re.MULTILINE)
IN_SHORT = (
    (r"Not all values .* satisfy the generated guard (.+?)\.?$", r"the code requires \1"),
    (r"You marked .* but your code specialized it to be a constant \((.+?)\).*", r"the code accepts only \1"),
    (r"The values of .* must always be related .*", "the code requires this relation between them"),
    (r"The values of .* must always be equal.*", "the code requires that they are equal"),
    (r"Cannot create Dim with inconsistent .*", "torch.export does not name the constraint"),
    (r"L\['(\w+)'\]", r"\1"),
)


@dataclass(frozen=True)
class ExportStep:
    """A program that torch.export refused, the failure, and the constraints for the next one."""

    before: ExportPlan
    failure: Failure
    asked: Wishes


def reason_in(failure: Failure) -> str:
    bullet = BULLET.search(failure.text)
    said = (bullet["said"] if bullet else failure.message).strip().partition("\n")[0]
    for pattern, short in IN_SHORT:
        said = re.sub(pattern, short, said)
    return said.rstrip(".")


def wish(plan: ExportPlan, said: str) -> Wishes | None:
    """The constraints so far, with the ones that a message adds; None if it adds none that is known."""
    _, _, fixes = said.partition("Suggested fixes:")
    before = plan.wishes
    roots = {before.resolve(match["name"]).root for match in FIXED.finditer(fixes)}
    fixed = {axis for axis, name in plan.names.items() if before.resolve(name).root in roots}
    ranges = {m["name"]: (int(m["low"] or 0), float(m["high"] or "inf")) for m in RANGE.finditer(fixes)}
    known = (m for m in RELATION.finditer(fixes) if m["name"] in plan.named)
    found = ((m, int(m["factor"] or 1), int(f"{m['sign'] or '+'}{m['offset'] or 0}")) for m in known)
    sizes = {**before.sizes, **{m["name"]: Size(m["root"], factor, offset) for m, factor, offset in found}}
    asked = replace(before, fixed=before.fixed | fixed, sizes=sizes, ranges={**before.ranges, **ranges})
    return asked if asked != before else None


def concede(plan: ExportPlan) -> Wishes | None:
    """Constraints that fix more axes, for a message that asks for nothing; a batch is fixed last."""
    inner = [axis for group in plan.named.values() if all(index for _, index in group) for axis in group]
    fixed = frozenset[Axis](inner or plan.names)
    return replace(plan.wishes, fixed=plan.wishes.fixed | fixed) if fixed else None


def rather_others(plan: ExportPlan, after: ExportPlan | None, why: str) -> Wishes | None:
    """Constraints that leave out the calls of a program if torch narrowed it so far that it lost more than it kept.

    `after` is the program under the constraints of torch, `why` torch's reason.
    """
    before, kept = (
        {call.number for call in each.served if not call.held_back} if each else set() for each in (plan, after)
    )
    if not kept or len(before - kept) <= len(kept):
        return None
    said = dict.fromkeys(kept, f"it needs an exported program of its own: {why}")
    return replace(plan.wishes, apart={**plan.wishes.apart, **said})


def findings_of(steps: Sequence[ExportStep], plan: ExportPlan) -> Iterator[Finding]:
    """The limits of an export: calls that it does not serve, and sizes that it makes constant or binds to others."""
    calls = (*plan.served, *(call for call, _ in plan.left))
    for step in steps:
        before, reason = step.before, reason_in(step.failure)
        for path, axis in sorted(step.asked.fixed - before.wishes.fixed, key=str):
            seen = sorted({sizes[path, axis] for sizes in map(sizes_of, calls) if (path, axis) in sizes})
            was = f"size {axis} of `{spelled_path(path)}` was {', '.join(map(str, seen))} in the calls"
            here = sizes_of(plan.example)[path, axis]
            yield Finding(CONSTANT, f"{was}, and is {here} in the exported program: {reason}", step.failure.place)
        for name, size in step.asked.sizes.items():
            if before.wishes.sizes.get(name) != size:
                yield Finding(BOUND, f"`{name}` is `{size}`: {reason}", step.failure.place)
        for name, asked in step.asked.ranges.items():
            low, high = before.ranges.get(name, asked)
            is_narrower = low < asked[0] or asked[1] < high
            if before.wishes.ranges.get(name) != asked and is_narrower:
                bounds = [f"at least {asked[0]}"] if asked[0] else []
                bounds += [f"at most {asked[1]:g}"] if asked[1] < float("inf") else []
                yield Finding(BOUND, f"`{name}` is {' and '.join(bounds)}: {reason}", step.failure.place)
    for call, why in plan.left:
        yield Finding(NOT_SERVED, f"`{call.name}`: {why}")
