"""The types of returns: branches that differ, abstract methods, hooks."""

import ast
from collections.abc import Iterator
from itertools import islice

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.inference import is_mixed
from pdt_annotate.findings.messages import said
from pdt_annotate.search.repair.expect import propose_expected
from pdt_annotate.search.repair.situation import Proposal, Situation
from pdt_annotate.source.definitions import Function, literal_type
from pdt_annotate.source.syntax import conditions, is_call_of, tests_for_none
from pdt_annotate.source.uses import infer_from_uses
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr, union


def is_about_returns(situation: Situation) -> bool:
    return said.RETURNS_DIFFER.is_in(situation.message) or said.RETURN_ANNOTATED.is_in(situation.message)


def propose_returns(situation: Situation) -> Iterator[Proposal]:
    """`Previous return statement returned a value of type T but this one …`: the types of branches differ.

    Annotate the return with the observed types, with the types of both branches, or with all of them.
    """
    function = situation.function
    if not is_about_returns(situation) or function is None or function.returns or function.settled:
        return
    slot = function.owner.returned
    known, observed = list(said.branch_types(situation.message)), situation.observed(slot)
    if observed:
        yield from situation.propose(slot, observed)
    yield from propose_told(situation)
    if len(known) == 2:
        yield from situation.propose(slot, known)
    if observed:
        yield from situation.propose(slot, [*observed, *known])


def propose_told(situation: Situation) -> Iterator[Proposal]:
    """Annotate the return with the types from examples and all `return`s, and let the failing one have that type."""
    function, slot, statement = situation.function, situation.slot_of_value(), situation.statement
    if function is None or slot is None or not isinstance(statement, ast.Return) or statement.value is None:
        return
    types = [*situation.observed(slot), *situation.evidence.inference.returns(function)]
    if not types or is_mixed(joined := consolidate(types)[0]):
        return
    for own in islice(situation.propose(slot, [joined]), 1):
        given = next(propose_expected(situation, statement.value, joined), Proposal(()))
        yield Proposal((*own.changes, *given.changes))


BOOL = TypeExpr("bool")
SCALARS = (TypeExpr("int"), TypeExpr("float"), BOOL)


def propose_abstract(situation: Situation) -> Iterator[Proposal]:
    """Annotate the return of each abstract function that the failing statement calls, as its overrides return it.

    An abstract method, which only raises, returns NoneType to the compiler, so callers fail:
    `'NoneType' object has no attribute or method 'energies'`, or an argument has the wrong `found type 'NoneType'`.
    If nothing overrides the method, the caller's use of the result shows its type.
    """
    if not said.NONE_TYPE.is_in(situation.message):
        return
    for name in situation.called_names:
        for function in situation.functions_named(name):
            # A missing return type is open: None is the compiler's conclusion.
            slot = function.owner.returned
            is_settled = function.returns or function.settled or situation.plan.get(slot) is not None
            if is_abstract(function) and not is_settled:
                types = list(dict.fromkeys(situation.evidence.namesakes.of_return(function.owner)))
                for type_ in types or _expected(situation, name):
                    yield from situation.propose(slot, [type_])
                if len(types) > 1:
                    yield from situation.propose(slot, types)


def _expected(situation: Situation, name: str) -> list[TypeExpr]:
    """The types that the failing statement needs of a call's result; names that it is unpacked into show the most."""
    function, statement = situation.reading, situation.statement
    needed: list[TypeExpr] = []
    for around in ast.walk(statement):  # the place of a call demands a type: `if not x.done():`, `x.count() == 0`
        if isinstance(around, ast.Compare):
            sides = (around.left, *around.comparators)
            if any(is_call_of(side, name) for side in sides):
                needed += filter(None, map(literal_type, sides))
        elif any(is_call_of(part, name) for part in conditions(around)):
            needed.append(BOOL)
    for facts in said.VARIADIC.read_all(situation.message):  # the type of variadic arguments, if it found a None
        if said.NONE_TYPE.is_in(facts["found"]):
            needed += facts.types("wanted")
    if function is not None and isinstance(statement, ast.Assign) and is_call_of(statement.value, name):
        target = statement.targets[0]
        if isinstance(target, ast.Tuple):
            return [TypeExpr("tuple", tuple(_used_as(function, part) for part in target.elts))]
        needed = [_used_as(function, target)]
    return list(dict.fromkeys([*needed, TENSOR, *SCALARS]))


def _used_as(function: Function, target: ast.expr) -> TypeExpr:
    if not isinstance(target, ast.Name):
        return TENSOR
    used = infer_from_uses(function.node, target.id) or TENSOR
    return union(used, NONE) if tests_for_none(function.node, target.id) else used


def is_abstract(function: Function) -> bool:
    returns = any(isinstance(node, ast.Return) and node.value is not None for node in ast.walk(function.node))
    return isinstance(function.node.body[-1], ast.Raise) and not returns


def propose_hooks(situation: Situation) -> Iterator[Proposal]:
    """`Pre-hook 'scale' on module 'Linear' is missing a return annotation`: give each such hook the observed type."""
    hook = said.HOOK_RETURN.read(situation.message)
    if hook is None:
        return
    for function in (*situation.functions_named(hook["name"]), *situation.uncompiled_named(hook["name"])):
        observed = situation.observed(function.owner.returned)
        if observed and not function.returns and not function.settled:
            yield from situation.propose(function.owner.returned, observed)
