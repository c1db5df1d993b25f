"""Returns whose branches differ: `Previous return statement returned a value of type T but this one …`."""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.findings.messages.facts import RETURN_ANNOTATED, RETURNS_DIFFER, branch_types
from pdt_annotate.search.repair.situation import Proposal, Situation, plain, return_slot

BRANCHES = 2


def is_about_returns(situation: Situation) -> bool:
    """Whether the message says that returns differ."""
    return situation.says(RETURNS_DIFFER) or situation.says(RETURN_ANNOTATED)


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate the return with what was observed, with the join of both branches, with all of them."""
    function = situation.function
    if not is_about_returns(situation) or function is None or function.returns or function.settled:
        return
    slot = return_slot(function)
    known = [plain(type_) for type_ in branch_types(situation.failure.message)]
    observed = situation.observed(slot)
    if observed:
        yield from situation.propose(slot, observed)
    if len(known) == BRANCHES:
        yield from situation.propose(slot, known)
    if observed:
        yield from situation.propose(slot, [*observed, *known])
