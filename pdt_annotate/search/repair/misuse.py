"""A parameter that no example gave a value. Un-annotated it is a Tensor to the compiler, and the body uses it as
something else; or what the source made of it was wrong, and it is a Tensor."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.search.repair.expect import without_none
from pdt_annotate.search.repair.names import names_in_statement
from pdt_annotate.search.repair.situation import Proposal, Situation, parameter_slot, plain
from pdt_annotate.source.survey import Function
from pdt_annotate.source.uses import element_names, infer_from_uses, is_used_as_tensor
from pdt_annotate.values.slots import Origin
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

VARIANT = re.compile(
    r"Expected a value of type '(?P<wanted>[^']+)' for argument '\w+' but instead found type '(?P<found>[^']+)'"
)
OPTIONAL = re.compile(r"^'(?P<type>Optional\[.*\])' object")


def propose(situation: Situation) -> Iterator[Proposal]:
    """Retype the un-annotated parameters that the failing statement mentions, or of which it mentions an element."""
    statement, function = situation.statement(), situation.function
    if statement is None or function is None:
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
    optional = OPTIONAL.search(situation.failure.message)
    if optional is not None:
        said = parse_type(optional["type"])
        if planned is not None and planned.type == said:
            yield from without_none(said)
        return
    inferred = infer_from_uses(function.node, name)
    if inferred is not None:
        yield inferred
    yield from _wanted(situation.failure.message)
    if planned is not None and planned.origin in (Origin.GUESS, Origin.SOURCE) and planned.type != TENSOR:
        yield TENSOR


def _wanted(message: str) -> Iterator[TypeExpr]:
    """What the variants of an operator would take where they found a Tensor."""
    seen: set[str] = set()
    for match in VARIANT.finditer(message):
        if match["wanted"] in seen or "Tensor" not in match["found"]:
            continue
        seen.add(match["wanted"])
        type_ = parse_type(match["wanted"])
        if type_ is not None and type_ != NONE:
            yield plain(type_)
