"""The types of locals: a name with two types, a container that began empty, the result of `tolist()`."""

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import BRANCHES_GIVE, BRANCHES_SET, ELEMENT, REASSIGNED, TOLIST
from pdt_annotate.search.repair.expect import propose_expected
from pdt_annotate.search.repair.returns import propose_told
from pdt_annotate.search.repair.situation import Proposal, Situation, initial_types
from pdt_annotate.source.syntax import assignments, is_name
from pdt_annotate.source.uses import is_open
from pdt_annotate.values.slots import Annotation, Origin
from pdt_annotate.values.types import NONE, TypeExpr


def propose_variables(situation: Situation) -> Iterator[Proposal]:
    """`Variable 'x' previously had type T but is now being assigned to a value of type U`: join both types.

    Annotate the first assignment, or widen the parameter; then let the assigned value have the variable's type.
    """
    facts, function = REASSIGNED.read(situation.message), situation.function
    if facts is None or function is None:
        return
    before, after = facts.type("before"), facts.type("after")
    slot = situation.slot_of_name(facts["name"])
    if slot is None:
        return
    initial = initial_types(function, facts["name"])
    observed = [type_ for type_ in situation.observed(slot) if type_ != NONE]
    if observed:
        yield from situation.propose(slot, [*observed, *initial])
    planned = situation.plan.get(slot)
    if after is not None and planned is not None and planned.origin is Origin.GUESS:
        # Replace a guess: it is no evidence to join with.
        empty = [NONE] if planned.type.name == "Optional" else []
        yield from situation.propose(slot, [after, *empty, *initial])
    if before is not None and after is not None:
        yield from situation.propose(slot, [before, after, *initial])
    statement = situation.statement
    if not isinstance(statement, ast.Assign):
        return
    for wanted in (*observed, *([before] if before is not None else [])):
        for rest in propose_expected(situation, statement.value, wanted):
            yield rest
            own = next(situation.propose(slot, [wanted, *initial]), None)
            if own is not None:
                yield Proposal((*own.changes, *rest.changes))


def propose_branch_types(situation: Situation) -> Iterator[Proposal]:
    """`Type mismatch: x is set to type T in the true branch and type U in the false branch`.

    Let the branch whose type the compiler inferred follow the other; otherwise let the name hold both types. Likewise
    for `if-expression's true branch has type T but false branch has type U`.
    """
    statement, of_name = situation.statement, BRANCHES_SET.read(situation.message)
    facts = of_name or BRANCHES_GIVE.read(situation.message)
    true, false = (facts.type("true"), facts.type("false")) if facts else (None, None)
    if facts is None or true is None or false is None:
        return
    if of_name is None:
        # A returned value must have the type of the other returns.
        yield from propose_told(situation)
        for node in ast.walk(statement):
            if isinstance(node, ast.IfExp):
                yield from propose_expected(situation, node.body, false)
                yield from propose_expected(situation, node.orelse, true)
        if (slot := situation.slot_of_value()) is not None:
            yield from situation.propose(slot, [true, false])
    elif isinstance(statement, ast.If):
        branches = [(statement.body, false, "true"), (statement.orelse, true, "false")]
        for body, wanted, _ in sorted(branches, key=lambda branch: not facts.is_inferred(branch[2])):
            assigned = (node for each in body for node in ast.walk(each) if isinstance(node, ast.Assign))
            for node in assigned:
                if any(is_name(target, facts["name"]) for target in node.targets):
                    yield from propose_expected(situation, node.value, wanted)
        yield from situation.propose_for_name(facts["name"], [true, false])


def propose_empty_containers(situation: Situation) -> Iterator[Proposal]:
    """Give each local that began empty the observed type, or the type that it holds according to the message.

    `a = []` is a List[Tensor] to the compiler, `a = {}` a Dict[str, Tensor], `a = None` a NoneType, and `t.tolist()`
    needs an annotation.
    """
    statement, function = situation.statement, situation.function
    if function is None:
        return
    facts = ELEMENT.read(situation.message)
    elements, first = facts.types("found", "held") if facts else [], list[Annotation]()
    for name in situation.names:
        assignment = next(iter(assignments(function.node, name)), None)
        if assignment is None or not is_open(assignment.value):
            continue
        # The type of a dict's values does not show that of its keys.
        held = [] if isinstance(assignment.value, ast.Dict) else elements
        types = [_nest(element, _depth(statement, name) + 1) for element in held]
        slot = situation.slot_of_name(name)
        if types and slot is not None and isinstance(assignment.value, ast.List):
            yield from situation.propose(slot, types[:1])
        proposals = list(situation.propose_for_name(name, types[:1]))
        yield from proposals
        first += proposals[0].changes if proposals else ()
        if len(types) > 1:
            yield from situation.propose_for_name(name, types)
    if len(first) > 1:  # `a[0], b[0] = x, y` has the same message for both
        yield Proposal(tuple(first))


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
            if is_name(inner, name):
                depth = max(depth, steps)
    return depth


SCALARS = (TypeExpr("int"), TypeExpr("float"))
LISTS = tuple(TypeExpr("list", (scalar,)) for scalar in SCALARS)
NESTED = tuple(TypeExpr("list", (each,)) for each in LISTS)
UNSEEN = (*LISTS, *SCALARS, *NESTED)
"""The types to try without an example: lengths and indices are the most frequent, of a tensor with one dimension."""


def propose_tolist(situation: Situation) -> Iterator[Proposal]:
    """`Expected type hint for result of tolist()`: the result type depends on values, so the source must annotate it.

    Annotate the variable or return that takes the result with the observed types, else with each possible type.
    """
    slot = situation.slot_of_value() if TOLIST.is_in(situation.message) else None
    if slot is None or "tolist" not in situation.called_names:
        return
    observed = situation.observed(slot)
    for types in [observed] if observed else [[type_] for type_ in UNSEEN]:
        yield from situation.propose(slot, types)
