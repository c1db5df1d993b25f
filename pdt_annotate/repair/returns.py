"""Returns whose branches differ: `Previous return statement returned a value of type T but this one …`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pdt_annotate.repair.situation import Proposal, Situation, plain, return_slot
from pdt_annotate.script_types import parse_type

DIFFER = re.compile(
    r"Previous return statement returned a value of type (?P<before>.+?)"
    r" but this return statement returns a value of type (?P<after>.+?)$",
    re.MULTILINE,
)
ANNOTATED = re.compile(
    r"Return value was annotated as having type (?P<before>.+?) but is actually of type (?P<after>.+?)$", re.MULTILINE
)


def is_about_returns(message: str) -> bool:
    """Whether a message says that returns differ."""
    return bool(DIFFER.search(message) or ANNOTATED.search(message))


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate the return with what was observed, with the join of both branches, with all of them."""
    message, function = situation.failure.message, situation.function
    match = DIFFER.search(message) or ANNOTATED.search(message)
    if match is None or function is None or function.returns or function.settled:
        return
    slot = return_slot(function)
    branches = [parse_type(match["before"]), parse_type(match["after"])]
    known = [plain(type_) for type_ in branches if type_ is not None]
    observed = situation.observed(slot)
    if observed:
        yield from situation.propose(slot, observed)
    if len(known) == len(branches):
        yield from situation.propose(slot, known)
    if observed:
        yield from situation.propose(slot, [*observed, *known])
