"""A parameter that nobody annotated is a Tensor to the compiler, and the body uses it as something else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pdt_annotate.ir import NONE, TypeExpr
from pdt_annotate.repair.names import names_in_statement
from pdt_annotate.repair.situation import Proposal, Situation, parameter_slot, plain
from pdt_annotate.script_types import parse_type
from pdt_annotate.usage import infer_from_uses, is_used_as_tensor

VARIANT = re.compile(
    r"Expected a value of type '(?P<wanted>[^']+)' for argument '\w+' but instead found type '(?P<found>[^']+)'"
)


def propose(situation: Situation) -> Iterator[Proposal]:
    """Retype the un-annotated parameters that the failing statement mentions."""
    statement, function = situation.statement(), situation.function
    if statement is None or function is None:
        return
    for name in names_in_statement(statement):
        parameter = function.parameter(name)
        if parameter is None or not situation.is_free(function, parameter):
            continue
        slot = parameter_slot(function, name)
        if any(type_ != NONE for type_ in situation.observed(slot)) or is_used_as_tensor(function.node, name):
            continue
        default = [parameter.default] if parameter.default is not None else []
        inferred = infer_from_uses(function.node, name)
        for guess in (*([inferred] if inferred else []), *_wanted(situation.failure.message)):
            yield from situation.propose(slot, [guess, *default])


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
