"""A parameter that no example gave a value. Un-annotated it is a Tensor to the compiler, and the body uses it as
something else; or the type that the source suggested was wrong, and it is a Tensor."""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.findings.messages.said import MISMATCH, OPTIONAL_USED
from pdt_annotate.search.repair.expect import without_none
from pdt_annotate.search.repair.situation import Proposal, Situation, names_in_statement, parameter_slot, plain
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.uses import element_names, infer_from_uses, is_used_as_tensor
from pdt_annotate.values.slots import Origin
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr


def propose(situation: Situation) -> Iterator[Proposal]:
    """Retype the un-annotated parameters that the failing statement mentions, or whose elements it mentions."""
    statement, function = situation.statement, situation.function
    if function is None:
        return
    named = names_in_statement(statement)
    looped = [p.name for p in function.parameters if not set(named).isdisjoint(element_names(function.node, p.name))]
    for name in dict.fromkeys((*named, *looped)):
        parameter = function.parameter(name)
        if parameter is None or not situation.is_free(function, parameter):
            continue
        slot = parameter_slot(function, name)
        if any(type_ != NONE for type_ in situation.observed(slot)):
            continue
        default = [parameter.default] if parameter.default is not None else []
        for guess in _guesses(situation, function, name):
            yield from situation.propose(slot, [guess, *default])


def _guesses(situation: Situation, function: Function, name: str) -> Iterator[TypeExpr]:
    planned = situation.plan.get(parameter_slot(function, name))
    if is_used_as_tensor(function.node, name):
        yield TENSOR
        return
    optional = OPTIONAL_USED.read(situation.message)
    if optional is not None:
        said = optional.type("type")
        if planned is not None and planned.type == said:
            yield from without_none(said)
        return
    inferred = infer_from_uses(function.node, name)
    if inferred is not None:
        yield inferred
    for facts in MISMATCH.read_all(situation.message):  # the variants of an operator that found a Tensor
        if "Tensor" in facts["found"]:
            yield from (plain(type_) for type_ in facts.types("wanted") if type_ != NONE)
    if planned is not None and planned.origin in (Origin.GUESS, Origin.SOURCE) and planned.type != TENSOR:
        yield TENSOR
