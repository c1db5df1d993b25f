"""`Expected a default value of type T on parameter "p"`: the parameter must take its own default."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import DEFAULT
from pdt_annotate.search.repair.situation import Proposal, Situation, parameter_slot, plain
from pdt_annotate.source.definitions import literal_type
from pdt_annotate.source.expressions import constant_of_module
from pdt_annotate.source.syntax import is_name


def propose(situation: Situation) -> Iterator[Proposal]:
    """Join the default's type with the current type of the parameter."""
    facts, function = DEFAULT.read(situation.message), situation.function
    parameter = function.parameter(facts["name"]) if facts and function else None
    if function is None or parameter is None or not situation.is_free(function, parameter):
        return
    slot = parameter_slot(function, parameter.name)
    planned = situation.plan.get(slot)
    now = [plain(planned.type)] if planned else []
    default, value = parameter.default, parameter.value
    if default is None and isinstance(value, ast.Name):
        # The type of a name is that of the constant which the module assigns to it.
        statements = situation.project.read(function.owner.file).tree.body
        assigned = (statement for statement in statements if isinstance(statement, ast.Assign))
        values = (each.value for each in assigned if any(is_name(target, value.id) for target in each.targets))
        default = next(map(literal_type, values), None)
    elif default is None and isinstance(value, ast.Attribute):
        default = constant_of_module(value)
    if default is not None:
        yield from situation.propose(slot, [default, *now])
    observed = situation.observed(slot)
    if observed:
        yield from situation.propose(slot, observed)
