"""The scripted model answers differently, or fails in a call: no statement is to blame, so other choices are tried.

If `int` was chosen for bool and int, for example, `Union[int, bool]` may answer alike. The same value passes through
several functions, so equal choices change together first.
"""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.search.repair.neighbours import same_choice, take
from pdt_annotate.search.repair.situation import Proposal, Situation
from pdt_annotate.values.types import TypeExpr


def propose(situation: Situation) -> Iterator[Proposal]:
    """Try each other choice for all the slots that had the same, then for each slot alone."""
    if not situation.failure.call:
        return
    compiled = set(situation.compiled)
    planned = [a for a in situation.plan.annotations.values() if a.slot.owner in compiled and a.alternatives]
    planned.sort(key=lambda a: (a.slot.sort_key, a.slot.name))
    because = situation.message
    met: set[tuple[TypeExpr, TypeExpr]] = set()
    if situation.failure.code:
        planned = [a for a in planned if a.type.name in ("list", "tuple")]
    for annotation in planned:
        for type_ in annotation.alternatives:
            if (annotation.type, type_) not in met:
                met.add((annotation.type, type_))
                yield Proposal(tuple(take(each, type_, because) for each in same_choice(situation, annotation, type_)))
    for annotation in planned:
        for type_ in annotation.alternatives:
            yield Proposal((take(annotation, type_, because),))
