"""The legal neighbours of annotations: where a statement fails, and where the answers are wrong."""

from collections.abc import Iterator
from dataclasses import replace

from pdt_annotate.search.repair.situation import Proposal, Situation, names_in_statement
from pdt_annotate.source.uses import is_used_as_tensor
from pdt_annotate.values.slots import Annotation, Origin
from pdt_annotate.values.types import TypeExpr

GUESSED = 2  # one guess for another


def propose_neighbours(situation: Situation) -> Iterator[Proposal]:
    """The legal neighbours of the annotations that the failing statement depends on: float for int and float, List for
    Tuple, the Scalar union.

    Try the alternatives of each planned name in the statement: there, then at all places with the same choice.
    """
    statement, function = situation.statement, situation.function
    if function is None:
        return
    for name in names_in_statement(statement):
        slot = situation.slot_of_name(name)
        planned = situation.plan.get(slot) if slot else None
        if planned is None:
            continue
        if planned.origin is Origin.GUESS and is_used_as_tensor(function.node, name):
            continue
        doubt = GUESSED if planned.origin is Origin.GUESS else 0
        for type_ in planned.alternatives:
            yield Proposal((take(planned, type_, situation.message),), doubt)
            group = same_choice(situation, planned, type_)
            if len(group) > 1 and not doubt:
                yield Proposal(tuple(take(each, type_, situation.message) for each in group), doubt)


def take(annotation: Annotation, type_: TypeExpr, because: str) -> Annotation:
    rest = tuple(a for a in (annotation.type, *annotation.alternatives) if a != type_)
    return replace(annotation, type=type_, alternatives=rest, because=because)


def same_choice(situation: Situation, chosen: Annotation, alternative: TypeExpr) -> list[Annotation]:
    """The annotations that have the same type and could have the same other one."""
    return [
        annotation
        for annotation in situation.plan.annotations.values()
        if annotation.type == chosen.type and alternative in annotation.alternatives
    ]


def propose_wrong_answers(situation: Situation) -> Iterator[Proposal]:
    """The scripted model answers differently, or fails in a call: no statement is to blame, so other choices are tried.

    If `int` was chosen for bool and int, for example, `Union[int, bool]` may answer alike. The same value passes
    through several functions, so equal choices change together first.

    Try each other choice for all the slots that had the same, then for each slot alone.
    """
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
