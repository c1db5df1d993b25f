"""`Expected type hint for result of tolist()`: what comes out depends on values, so the source has to say it.

The variable that takes the result says it, or the return annotation of the function that returns it.
"""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.findings.messages.said import TOLIST
from pdt_annotate.search.repair.situation import Proposal, Situation, called_names
from pdt_annotate.values.types import TypeExpr

SCALARS = (TypeExpr("int"), TypeExpr("float"))
LISTS = tuple(TypeExpr("list", (scalar,)) for scalar in SCALARS)
NESTED = tuple(TypeExpr("list", (each,)) for each in LISTS)
UNSEEN = (*LISTS, *SCALARS, *NESTED)
"""What to try where no example came by: lengths and indices are the most frequent, of a tensor with one dimension."""


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate what takes the result with what was observed there, else with each type that `tolist` can give."""
    slot = situation.slot_of_value() if TOLIST.is_in(situation.message) else None
    if slot is None or "tolist" not in called_names(situation.statement):
        return
    observed = situation.observed(slot)
    for types in [observed] if observed else [[type_] for type_ in UNSEEN]:
        yield from situation.propose(slot, types)
