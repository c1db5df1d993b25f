"""Names in a failing statement: parameters and locals of the enclosing function whose type the plan may set."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from pdt_annotate.search.repair.situation import Proposal, Situation, local_slot, parameter_slot, return_slot
from pdt_annotate.source.survey import Function
from pdt_annotate.source.syntax import called_name, first_assignment, passed_argument
from pdt_annotate.values.slots import Slot
from pdt_annotate.values.types import NONE, TypeExpr


def names_in_statement(statement: ast.stmt) -> list[str]:
    """The names that a statement reads or writes, in source order; of a compound one, only its header."""
    nodes: list[ast.AST] = [statement]
    if isinstance(statement, (ast.For, ast.While, ast.If, ast.With)):
        nodes = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
    names = [n for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name)]
    return list(dict.fromkeys(n.id for n in sorted(names, key=lambda n: (n.lineno, n.col_offset))))


def slot_of_name(situation: Situation, function: Function, name: str) -> Slot | None:
    """The slot that says what a name is: a free parameter, or the first assignment of a local."""
    parameter = function.parameter(name)
    if parameter is not None:
        return parameter_slot(function, name) if situation.is_free(function, parameter) else None
    if function.settled:
        return None
    assignment = first_assignment(function.node, name)
    return local_slot(function, name, assignment.lineno) if assignment else None


def slot_of_value(situation: Situation, statement: ast.stmt) -> Slot | None:
    """The slot whose annotation tells the compiler what the statement's expression is to give: a local, the return."""
    function = situation.function
    if function is None or function.settled:
        return None
    if isinstance(statement, ast.Return):
        return None if function.returns else return_slot(function)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if isinstance(target, ast.Name) and function.parameter(target.id) is None:
        return slot_of_name(situation, function, target.id)
    return None


def propose_for_name(situation: Situation, name: str, types: Sequence[TypeExpr]) -> Iterator[Proposal]:
    """Let a name of the enclosing function have the types, joined with what was observed of it."""
    function = situation.function
    slot = slot_of_name(situation, function, name) if function else None
    if slot is None:
        return
    initial = initial_types(function, name) if function else []
    seen = [t for t in situation.observed(slot) if t.name != "Any"]
    if any(type_ != NONE for type_ in seen):
        yield from situation.propose(slot, [*seen, *initial])
    if types:
        yield from situation.propose(slot, [*types, *initial])
        if seen:
            yield from situation.propose(slot, [*seen, *types, *initial])


def initial_types(function: Function, name: str) -> list[TypeExpr]:
    """What a name starts as, where its annotation has to admit that: a local's None, a parameter's default."""
    parameter = function.parameter(name)
    if parameter is not None:
        return [parameter.default] if parameter.default in (NONE, TypeExpr("str")) else []
    assignment = first_assignment(function.node, name)
    if assignment is not None and _is_list_of_none(assignment.value):
        return [TypeExpr("list", (NONE,))]
    starts_none = (
        assignment is not None and isinstance(assignment.value, ast.Constant) and assignment.value.value is None
    )
    return [NONE] if starts_none else []


def _is_list_of_none(value: ast.expr) -> bool:
    """Whether an initial value is `[None] * n` or `[None for _ in …]`."""
    if isinstance(value, ast.BinOp):
        return _is_list_of_none(value.left) or _is_list_of_none(value.right)
    elements = value.elts if isinstance(value, ast.List) else [value.elt] if isinstance(value, ast.ListComp) else []
    return bool(elements) and all(isinstance(e, ast.Constant) and e.value is None for e in elements)


def argument_of_call(statement: ast.stmt, callee: Function, argument: str) -> ast.expr | None:
    """The expression that a statement passes for a parameter of a function it calls by name."""
    name = callee.owner.qualname.rpartition(".")[2]
    calls = (node for node in ast.walk(statement) if isinstance(node, ast.Call))
    meant = (node for node in calls if called_name(node) == name or name == "forward")
    return next((passed for node in meant if (passed := passed_argument(node, callee, argument)) is not None), None)


def called_names(statement: ast.stmt) -> list[str]:
    """The names of what a statement calls: "f" for `f(x)` and for `self.f(x)`."""
    return [name for node in ast.walk(statement) if isinstance(node, ast.Call) and (name := called_name(node))]
