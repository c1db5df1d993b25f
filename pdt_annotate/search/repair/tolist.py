"""`Expected type hint for result of tolist()`: the result type depends on values, so the source must annotate it.

The annotation is that of the variable that takes the result, or of the function that returns it.
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
"""The types to try without an example: lengths and indices are the most frequent, of a tensor with one dimension."""


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate the variable or return with the observed types, otherwise with each type that `tolist` can return."""
    slot = situation.slot_of_value() if TOLIST.is_in(situation.message) else None
    if slot is None or "tolist" not in called_names(situation.statement):
        return
    observed = situation.observed(slot)
    for types in [observed] if observed else [[type_] for type_ in UNSEEN]:
        yield from situation.propose(slot, types)
