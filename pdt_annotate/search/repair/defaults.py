"""`Expected a default value of type T on parameter "p"`: the parameter must take its own default."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import DEFAULT
from pdt_annotate.search.repair.situation import Proposal, Situation, parameter_slot, plain
from pdt_annotate.source.expressions import constant_of_module
from pdt_annotate.source.survey import Function, literal_type
from pdt_annotate.values.types import TypeExpr


def propose(situation: Situation) -> Iterator[Proposal]:
    """Join the default's type with the current type of the parameter."""
    facts, function = DEFAULT.read(situation.message), situation.function
    parameter = function.parameter(facts["name"]) if facts and function else None
    if function is None or parameter is None or not situation.is_free(function, parameter):
        return
    slot = parameter_slot(function, parameter.name)
    planned = situation.plan.get(slot)
    now = [plain(planned.type)] if planned else []
    default = parameter.default or default_type(situation, function, parameter.value)
    if default is not None:
        yield from situation.propose(slot, [default, *now])
    observed = situation.observed(slot)
    if observed:
        yield from situation.propose(slot, observed)


def default_type(situation: Situation, function: Function, node: ast.expr | None) -> TypeExpr | None:
    """The type of a default that is a name, by the constant which the module assigns to it."""
    if isinstance(node, ast.Name):
        for statement in situation.project.survey(function.owner.file).tree.body:
            if isinstance(statement, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == node.id for target in statement.targets
            ):
                return literal_type(statement.value)
    return constant_of_module(node) if isinstance(node, ast.Attribute) else None
