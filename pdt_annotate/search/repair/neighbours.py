"""The legal neighbours of annotations: where a statement fails, and where the answers are wrong."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from pdt_annotate.findings.catalogue import entry
from pdt_annotate.findings.messages import classify, said
from pdt_annotate.search.repair.situation import Proposal, Situation
from pdt_annotate.source.uses import is_used_as_tensor
from pdt_annotate.values.slots import Annotation, Origin
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

GUESSED = 2  # one guess for another
CALL = "__call__"
# In Python, which has more than the compiler.
MEMBERS = {each.__name__: frozenset(dir(each)) for each in (bool, int, float, complex, str, list, tuple, dict)}


def propose_neighbours(situation: Situation) -> Iterator[Proposal]:
    """Try the alternatives of each planned name in the statement: there, then at all places with the same choice.

    Such as float for int and float, List for Tuple, the Scalar union. No type helps if the front end of the compiler,
    which knows no types, refuses the code. If a value lacks a member, only types that may have it help.
    """
    function, failure = situation.function, situation.failure
    needs_other_code = entry(classify(failure.text or failure.message)).needs_other_code
    is_refused = needs_other_code and failure.kind != "RuntimeError"
    for name in situation.names if function and not is_refused else ():
        slot = situation.slot_of_name(name)
        planned = situation.plan.get(slot) if slot else None
        if planned is None or (planned.origin is Origin.GUESS and function and is_used_as_tensor(function.node, name)):
            continue
        doubt = GUESSED if planned.origin is Origin.GUESS else 0
        for type_ in filter(partial(may_have, situation.message), planned.alternatives):
            yield Proposal((take(planned, type_, situation.message),), doubt)
            group = same_choice(situation, planned, type_)
            if len(group) > 1 and not doubt:
                yield Proposal(tuple(take(each, type_, situation.message) for each in group), doubt)


def may_have(message: str, type_: TypeExpr) -> bool:
    """Whether a value of the type, or one in it, may have the member that the message misses, or may be called."""
    missed = said.LACKS_MEMBER.read(message)
    member = missed["name"] if missed else CALL if said.CALLED_VALUE.is_in(message) else ""
    known = {**MEMBERS, TENSOR.name: ()} if member == CALL else MEMBERS
    held = type_.names.keys() - {"Optional", "Union", NONE.name}
    return not member or any(member in known.get(name, (member,)) for name in held)


def take(annotation: Annotation, type_: TypeExpr, because: str) -> Annotation:
    rest = tuple(a for a in (annotation.type, *annotation.alternatives) if a != type_)
    return replace(annotation, type=type_, alternatives=rest, because=because)


def same_choice(situation: Situation, chosen: Annotation, alternative: TypeExpr) -> list[Annotation]:
    """The annotations that have the same type and could have the same other one."""
    alike = (each for each in situation.plan.annotations.values() if each.type == chosen.type)
    return [each for each in alike if alternative in each.alternatives]


def propose_wrong_answers(situation: Situation) -> Iterator[Proposal]:
    """The scripted model answers differently, or fails in a call: no statement is to blame, so try other choices.

    Each for all the slots that had the same, because one value passes through several functions; then for each slot
    alone. If `int` was chosen for bool and int, for example, `Union[int, bool]` may answer alike.
    """
    if not situation.failure.call:
        return
    compiled = set(situation.compiled)
    planned = [a for a in situation.plan.annotations.values() if a.slot.owner in compiled and a.alternatives]
    planned.sort(key=lambda a: (a.slot.sort_key, a.slot.name))
    if situation.failure.code:
        planned = [a for a in planned if a.type.name in ("list", "tuple")]
    choices = [(annotation, type_) for annotation in planned for type_ in annotation.alternatives]
    alike = {(annotation.type, type_): same_choice(situation, annotation, type_) for annotation, type_ in choices}
    for (_, type_), group in alike.items():
        yield Proposal(tuple(take(each, type_, situation.message) for each in group))
    for annotation, type_ in choices:
        yield Proposal((take(annotation, type_, situation.message),))
