"""What torch.export asks for where sizes do not vary as it was told, read from its message."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from pdt_annotate.captures.exporting.plan import ExportPlan
from pdt_annotate.captures.exporting.sizes import Size, Wishes, sizes_of, spelled_path
from pdt_annotate.values.exports import Axis, Path, Where
from pdt_annotate.values.verdicts import Failure

FIXES = "Suggested fixes:"
CONSTANT = re.compile(r"^ *(?P<name>\w+) = (?P<value>\d+)$", re.MULTILINE)
RANGE = re.compile(r"^ *(?P<name>\w+) = Dim\('\w+'(?:, min=(?P<low>\d+))?(?:, max=(?P<high>\d+))?\)$", re.MULTILINE)
RELATION = re.compile(
    r"^ *(?P<name>\w+) = (?:(?P<factor>\d+)\*)?(?P<root>(?!\d)\w+)(?: (?P<sign>[+-]) (?P<offset>\d+))?$", re.MULTILINE
)
BULLET = re.compile(r"^  - (?P<said>.+)$", re.MULTILINE)
IN_SHORT = (
    (re.compile(r"Not all values .* satisfy the generated guard (.+?)\.?$"), r"the code asks for \1"),
    (
        re.compile(r"You marked .* but your code specialized it to be a constant \((.+?)\).*"),
        r"the code takes \1 alone",
    ),
    (re.compile(r"The values of .* must always be related .*"), "the code needs them in this relation"),
    (re.compile(r"The values of .* must always be equal.*"), "the code needs them equal"),
    (re.compile(r"Cannot create Dim with inconsistent .*"), "torch.export fails to say what it asks for"),
    (re.compile(r"L\['(\w+)'\]"), r"\1"),
)
SPECIALIZED = re.compile(r"You marked L(?P<path>\S+) as dynamic but your code specialized it to be a constant")


def reason_in(failure: Failure) -> str:
    """What torch.export says is wrong, in one line."""
    bullet = BULLET.search(failure.text)
    said = (bullet["said"] if bullet else failure.message).strip().partition("\n")[0]
    for pattern, short in IN_SHORT:
        said = pattern.sub(short, said)
    return said.rstrip(".")


def wish(plan: ExportPlan, said: str) -> Wishes | None:
    """What was asked for before, and what a message asks for beside; None where it asks for nothing that is known."""
    _, _, fixes = said.partition(FIXES)
    fixed = frozenset[Where]((*_constants(plan, fixes), *_numbers(plan, said)))
    ranges = {m["name"]: (int(m["low"] or 0), float(m["high"] or "inf")) for m in RANGE.finditer(fixes)}
    sizes = {m["name"]: _size(m) for m in RELATION.finditer(fixes) if m["name"] in plan.named}
    before = plan.wishes
    wished = replace(
        before, fixed=before.fixed | fixed, sizes={**before.sizes, **sizes}, ranges={**before.ranges, **ranges}
    )
    return wished if wished != before else None


def rather_others(plan: ExportPlan, after: ExportPlan | None, why: str) -> Wishes | None:
    """What leaves out the calls of a program, where torch narrowed it so far that the calls which it lost are more.

    Args:
        plan: the program as it was tried.
        after: the same as torch asked for it.
        why: torch did.
    """
    kept = after.shown if after else frozenset[int]()
    if not kept or len(plan.shown - kept) <= len(kept):
        return None
    return replace(
        plan.wishes, apart={**plan.wishes.apart, **dict.fromkeys(kept, f"it needs a program of its own: {why}")}
    )


def concede(plan: ExportPlan) -> Wishes | None:
    """Less that varies, for a message that asks for nothing: of the steps that are left, the one that loses least.

    What only other calls showed goes first, a batch last.
    """
    inner = frozenset(axis for group in plan.named.values() if all(index for _, index in group) for axis in group)
    shown = [sizes_of(call) for call in plan.served if not call.held_back]
    elsewhere = frozenset(axis for axis in inner if len({sizes[axis] for sizes in shown}) == 1)
    if plan.witnesses and not elsewhere:
        return replace(plan.wishes, alone=True)
    steps = (elsewhere, frozenset[Where](plan.numbers), inner, plan.axes)
    fixed = next((step for step in steps if step), None)
    return replace(plan.wishes, fixed=plan.wishes.fixed | fixed) if fixed else None


def _constants(plan: ExportPlan, fixes: str) -> Iterator[Axis]:
    for match in CONSTANT.finditer(fixes):
        root = plan.wishes.resolve(match["name"]).root
        names = [name for name in plan.named if plan.wishes.resolve(name).root == root]
        yield from (axis for name in names for axis in plan.named[name])


def _numbers(plan: ExportPlan, said: str) -> Iterator[Path]:
    """The ints that became constants: the message names them as the code of the program finds them."""
    named = {match["path"] for match in SPECIALIZED.finditer(said)}
    for path in plan.numbers:
        if f"[{path[0]!r}]{spelled_path(path)[len(str(path[0])) :]}" in named:
            yield path


def _size(match: re.Match[str]) -> Size:
    offset = int(f"{match['sign'] or '+'}{match['offset'] or 0}")
    return Size(match["root"], int(match["factor"] or 1), offset)
