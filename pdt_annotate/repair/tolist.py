"""`Expected type hint for result of tolist()`: what comes out depends on values, so the source has to say it.

The variable that takes the result says it, or the return annotation of the function that returns it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.ir import Slot, TypeExpr
from pdt_annotate.repair.names import called_names, slot_of_name
from pdt_annotate.repair.situation import Proposal, Situation, return_slot

MESSAGE = "Expected type hint for result of tolist()"
SCALARS = (TypeExpr("int"), TypeExpr("float"))
LISTS = tuple(TypeExpr("list", (scalar,)) for scalar in SCALARS)
NESTED = tuple(TypeExpr("list", (each,)) for each in LISTS)
UNSEEN = (*LISTS, *SCALARS, *NESTED)
"""What to try where no example came by: lengths and indices are the most frequent, of a tensor with one dimension."""


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate what takes the result with what was observed there, else with each type that `tolist` can give."""
    if not situation.failure.message.startswith(MESSAGE):
        return
    slot = _taker(situation)
    if slot is None:
        return
    observed = situation.observed(slot)
    if observed:
        yield from situation.propose(slot, observed)
        return
    for type_ in UNSEEN:
        yield from situation.propose(slot, [type_])


def _taker(situation: Situation) -> Slot | None:
    """The slot whose annotation the compiler takes for a hint of the failing call."""
    function, statement = situation.function, situation.statement()
    if function is None or statement is None or "tolist" not in called_names(statement):
        return None
    if isinstance(statement, ast.Return):
        return None if function.returns or function.settled else return_slot(function)
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return slot_of_name(situation, function, statement.targets[0].id)
    return None
