"""Returns whose branches differ: `Previous return statement returned a value of type T but this one …`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.search.repair.situation import Proposal, Situation, plain, return_slot
from pdt_annotate.values.types import TypeExpr

DIFFER = re.compile(
    r"Previous return statement returned a value of type (?P<before>.+?)"
    r" but this return statement returns a value of type (?P<after>.+?)$",
    re.MULTILINE,
)
ANNOTATED = re.compile(
    r"Return value was annotated as having type (?P<before>.+?) but is actually of type (?P<after>.+?)$", re.MULTILINE
)
BRANCHES = 2


def is_about_returns(message: str) -> bool:
    """Whether a message says that returns differ."""
    return bool(DIFFER.search(message) or ANNOTATED.search(message))


def branch_types(message: str) -> list[TypeExpr]:
    """The types of the two branches that a message tells apart, as far as they can be written."""
    match = DIFFER.search(message) or ANNOTATED.search(message)
    types = [parse_type(match["before"]), parse_type(match["after"])] if match else []
    return [type_ for type_ in types if type_ is not None]


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate the return with what was observed, with the join of both branches, with all of them."""
    message, function = situation.failure.message, situation.function
    if not is_about_returns(message) or function is None or function.returns or function.settled:
        return
    slot = return_slot(function)
    known = [plain(type_) for type_ in branch_types(message)]
    observed = situation.observed(slot)
    if observed:
        yield from situation.propose(slot, observed)
    if len(known) == BRANCHES:
        yield from situation.propose(slot, known)
    if observed:
        yield from situation.propose(slot, [*observed, *known])
