"""An error in a statement whose locals began empty: `a = []` is a List[Tensor] to the compiler, `a = {}` a Dict[str,
Tensor], `a = None` a NoneType, and `t.tolist()` needs an annotation."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import ELEMENT
from pdt_annotate.search.repair.situation import Proposal, Situation, names_in_statement, plain
from pdt_annotate.source.syntax import assignments
from pdt_annotate.source.uses import is_open
from pdt_annotate.values.types import TypeExpr


def propose(situation: Situation) -> Iterator[Proposal]:
    """Give each open local of the statement the observed type, or the type that it holds according to the message."""
    statement, function = situation.statement, situation.function
    if function is None:
        return
    facts = ELEMENT.read(situation.message)
    elements = facts.types("found", "held") if facts else []
    for name in names_in_statement(statement):
        assignment = next(iter(assignments(function.node, name)), None)
        if assignment is None or not is_open(assignment.value):
            continue
        types = [_nest(plain(element), _depth(statement, name) + 1) for element in elements]
        if isinstance(assignment.value, ast.Dict):  # the type of its values does not show that of its keys
            types = []
        slot = situation.slot_of_name(name)
        if types and slot is not None and isinstance(assignment.value, ast.List):
            yield from situation.propose(slot, types[:1])
        yield from situation.propose_for_name(name, types[:1])
        if len(types) > 1:
            yield from situation.propose_for_name(name, types)


def _nest(type_: TypeExpr, depth: int) -> TypeExpr:
    return type_ if depth == 0 else _nest(TypeExpr("list", (type_,)), depth - 1)


def _depth(statement: ast.stmt, name: str) -> int:
    """How deep inside the container of this name the statement puts something: 1 for `name[i].append(x)`."""
    depth = 0
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            inner, steps = node.func.value, 0
            while isinstance(inner, ast.Subscript):
                inner, steps = inner.value, steps + 1
            if isinstance(inner, ast.Name) and inner.id == name:
                depth = max(depth, steps)
    return depth
