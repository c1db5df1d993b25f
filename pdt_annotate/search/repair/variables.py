"""`Variable 'x' previously had type T but is now being assigned to a value of type U`: x holds both."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import REASSIGNED
from pdt_annotate.search.repair.expect import propose_expected
from pdt_annotate.search.repair.situation import Proposal, Situation, initial_types, plain
from pdt_annotate.values.slots import Origin
from pdt_annotate.values.types import NONE


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate the first assignment, or widen the parameter, with the join of both types."""
    facts, function = REASSIGNED.read(situation.message), situation.function
    if facts is None or function is None:
        return
    before, after = facts.type("before"), facts.type("after")
    slot = situation.slot_of_name(facts["name"])
    if slot is None:
        return
    initial = initial_types(function, facts["name"])
    observed = [type_ for type_ in situation.observed(slot) if type_ != NONE]
    if observed:
        yield from situation.propose(slot, [*observed, *initial])
    planned = situation.plan.get(slot)
    if after is not None and planned is not None and planned.origin is Origin.GUESS:
        # Replace a guess: it is no evidence to join with.
        empty = [NONE] if planned.type.name == "Optional" else []
        yield from situation.propose(slot, [plain(after), *empty, *initial])
    if before is not None and after is not None:
        yield from situation.propose(slot, [plain(before), plain(after), *initial])
    # Let the assigned value have the type that the variable has, or should have.
    statement = situation.statement
    if not isinstance(statement, ast.Assign):
        return
    for wanted in (*observed, *([before] if before is not None else [])):
        for rest in propose_expected(situation, statement.value, wanted):
            yield rest
            own = next(situation.propose(slot, [wanted, *initial]), None)
            if own is not None:
                yield Proposal((*own.changes, *rest.changes))
