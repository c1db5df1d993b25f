"""Returns whose branches differ: `Previous return statement returned a value of type T but this one …`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import islice

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.inference import is_mixed
from pdt_annotate.findings.messages.said import RETURN_ANNOTATED, RETURNS_DIFFER, branch_types
from pdt_annotate.search.repair.expect import propose_expected
from pdt_annotate.search.repair.situation import Proposal, Situation, plain, return_slot

BRANCHES = 2


def is_about_returns(situation: Situation) -> bool:

    return RETURNS_DIFFER.is_in(situation.message) or RETURN_ANNOTATED.is_in(situation.message)


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate the return with the observed types, with the types of both branches, or with all of them."""
    function = situation.function
    if not is_about_returns(situation) or function is None or function.returns or function.settled:
        return
    slot = return_slot(function)
    known = [plain(type_) for type_ in branch_types(situation.message)]
    observed = situation.observed(slot)
    if observed:
        yield from situation.propose(slot, observed)
    yield from propose_told(situation)
    if len(known) == BRANCHES:
        yield from situation.propose(slot, known)
    if observed:
        yield from situation.propose(slot, [*observed, *known])


def propose_told(situation: Situation) -> Iterator[Proposal]:
    """Annotate the return with the types from examples and all `return`s, and let the failing one have that type."""
    function, slot, statement = situation.function, situation.slot_of_value(), situation.statement
    if function is None or slot is None or not isinstance(statement, ast.Return) or statement.value is None:
        return
    types = [*situation.observed(slot), *situation.inference.returns(function)]
    if not types or is_mixed(joined := consolidate(types)[0]):
        return
    for own in islice(situation.propose(slot, [joined]), 1):
        given = next(propose_expected(situation, statement.value, joined), Proposal(()))
        yield Proposal((*own.changes, *given.changes))
