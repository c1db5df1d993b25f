"""`Variable 'x' previously had type T but is now being assigned to a value of type U`: x holds both."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pdt_annotate.repair.names import propose_for_name, slot_of_name
from pdt_annotate.repair.situation import Proposal, Situation, plain
from pdt_annotate.script_types import parse_type

MESSAGE = re.compile(
    r"Variable '(?P<name>\w+)' (?:previously had type|is annotated with type) (?P<before>.+?)"
    r" but is (?:now )?being assigned to a value of type (?P<after>.+?)$",
    re.MULTILINE,
)


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate the first assignment, or widen the parameter, with the join of both types."""
    match, function = MESSAGE.search(situation.failure.message), situation.function
    if match is None or function is None:
        return
    before, after = parse_type(match["before"]), parse_type(match["after"])
    slot = slot_of_name(situation, function, match["name"])
    if slot is None:
        return
    if before is not None and after is not None:
        yield from situation.propose(slot, [plain(before), plain(after)])
        yield from situation.propose(slot, [plain(after)])
    yield from propose_for_name(situation, match["name"], [plain(after)] if after else [])
