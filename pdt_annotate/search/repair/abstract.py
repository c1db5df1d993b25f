"""A method that only raises returns NoneType to the compiler: what its overrides return is what callers expect.

`'NoneType' object has no attribute or method 'energies'`, or an argument of which `found type 'NoneType'` is said.
Where nothing overrides it, what the caller does with the result has to tell.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import NONE_TYPE
from pdt_annotate.search.repair.situation import Proposal, Situation, called_names, return_slot
from pdt_annotate.source.survey import Function
from pdt_annotate.source.syntax import called_name, tests_for_none
from pdt_annotate.source.uses import infer_from_uses
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr, union

SCALARS = (TypeExpr("int"), TypeExpr("float"), TypeExpr("bool"))


def propose(situation: Situation) -> Iterator[Proposal]:
    """Annotate the return of each abstract function that the failing statement calls."""
    if not NONE_TYPE.is_in(situation.message):
        return
    for name in called_names(situation.statement):
        for function in situation.functions_named(name):
            if is_abstract(function) and not function.returns and not function.settled:
                types = list(dict.fromkeys(situation.namesakes.of_return(function.owner)))
                for type_ in types or _expected(situation, name):
                    yield from situation.propose(return_slot(function), [type_])
                if len(types) > 1:
                    yield from situation.propose(return_slot(function), types)


def _expected(situation: Situation, name: str) -> list[TypeExpr]:
    """What the failing statement takes the result of a call for: the names that it is unpacked into tell the most."""
    function, statement = situation.reading, situation.statement
    if function is None or not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return [TENSOR, *SCALARS]
    if called_name(statement.value) != name:
        return [TENSOR, *SCALARS]
    target = statement.targets[0]
    if isinstance(target, ast.Tuple):
        return [TypeExpr("tuple", tuple(_used_as(function, part) for part in target.elts))]
    return list(dict.fromkeys([_used_as(function, target), TENSOR, *SCALARS]))


def _used_as(function: Function, target: ast.expr) -> TypeExpr:
    if not isinstance(target, ast.Name):
        return TENSOR
    used = infer_from_uses(function.node, target.id) or TENSOR
    return union(used, NONE) if tests_for_none(function.node, target.id) else used


def is_abstract(function: Function) -> bool:
    """Whether a function ends in `raise` and never returns a value."""
    returns = any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function.node))
    return isinstance(function.node.body[-1], ast.Raise) and not returns
