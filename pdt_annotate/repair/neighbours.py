"""The legal neighbours of the annotations that the failing statement depends on: float for int and float, List for
Tuple, the Scalar union."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pdt_annotate.repair.names import names_in_statement, slot_of_name
from pdt_annotate.repair.situation import Proposal, Situation


def propose(situation: Situation) -> Iterator[Proposal]:
    """Try the alternatives of each planned name in the statement, then of all of them at once."""
    statement, function = situation.statement(), situation.function
    if statement is None or function is None:
        return
    for name in names_in_statement(statement):
        slot = slot_of_name(situation, function, name)
        planned = situation.plan.get(slot) if slot else None
        if planned is None:
            continue
        for type_ in planned.alternatives:
            rest = tuple(a for a in (planned.type, *planned.alternatives) if a != type_)
            yield Proposal((replace(planned, type=type_, alternatives=rest, because=situation.failure.message),))
