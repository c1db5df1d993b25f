"""`helper(Tensor x, Tensor k): Expected a value of type 'T' for argument 'k' but instead found type 'U'`.

Either the callee's parameter also takes `U`, or the name that the caller passes must have type `T`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.findings.messages.said import MISMATCH, OPERATOR, SIGNATURE, VARIADIC
from pdt_annotate.search.repair.expect import propose_expected
from pdt_annotate.search.repair.situation import (
    Proposal,
    Situation,
    argument_of_call,
    called_names,
    names_in_statement,
    parameter_slot,
    plain,
)
from pdt_annotate.source.definitions import Function
from pdt_annotate.values.slots import Origin, SlotKind
from pdt_annotate.values.types import NONE, TypeExpr


def propose(situation: Situation) -> Iterator[Proposal]:
    """Widen the callee's parameter, then retype the caller's argument."""
    signature, one_of_many = SIGNATURE.read(situation.message), VARIADIC.read(situation.message)
    mismatch = one_of_many or MISMATCH.read(situation.message)
    if signature is None or mismatch is None or OPERATOR.is_in(situation.message):
        return
    wanted, found, inferred = mismatch.type("wanted"), mismatch.type("found"), mismatch.is_inferred("wanted")
    argument = signature.parameters[-1] if one_of_many else mismatch["argument"]
    if one_of_many and wanted is not None:
        # A last parameter that is a list takes its elements one by one as well, and the message has the type of one.
        wanted = TypeExpr("list", (wanted,))
    receiver, name = signature["receiver"], signature["name"]
    named = list(situation.functions_named(name))
    if receiver:  # methods of its class come first, as the compiler prints it, then methods of other classes
        simple = receiver.rpartition(".")[2]
        methods = [function for function in named if function.in_class]
        named = sorted(methods, key=lambda function: function.in_class.rpartition(".")[2] != simple)
    callees = {function.owner: function for function in named}
    # A method that is ignored appears under a name of the compiler's, and is never read: go by the call.
    for called in called_names(situation.statement):
        callees.update((function.owner, function) for function in situation.uncompiled_named(called))
    for callee in callees.values():
        # If the argument is unknown, try every name in the statement.
        names = [ast.Name(name) for name in names_in_statement(situation.statement)]
        argument_passed = argument_of_call(situation.statement, callee, argument)
        passed: list[ast.expr] = [argument_passed] if argument_passed is not None else [*names]
        retype: list[Proposal] = []
        if wanted is not None and not inferred:
            for expression in passed:
                retype += propose_expected(situation, expression, wanted)
                if isinstance(expression, ast.Name):
                    retype += situation.propose_for_name(expression.id, [plain(wanted)])
        # If the caller's argument is a guess, prefer the type that the callee knows.
        if _is_guess(situation, passed):
            yield from retype
        if found is not None:
            yield from _widen(situation, callee, argument, wanted, found, inferred)
        yield from retype


def _widen(
    situation: Situation, callee: Function, argument: str, wanted: TypeExpr | None, found: TypeExpr, inferred: bool
) -> Iterator[Proposal]:
    parameter = callee.parameter(argument)
    if parameter is None or not situation.is_free(callee, parameter):
        return
    slot = parameter_slot(callee, argument)
    default = [parameter.default] if parameter.default is not None and parameter.default.name != "list" else []
    observed = [type_ for type_ in situation.observed(slot) if type_ != NONE]
    if not observed:
        yield from situation.propose(slot, [plain(found), *default])
    if observed or not inferred:
        yield from situation.propose(slot, [plain(found), *observed, *default])
    if wanted is not None:
        yield from situation.propose(slot, [plain(found), plain(wanted), *default])


def _is_guess(situation: Situation, passed: list[ast.expr]) -> bool:
    """Whether the caller's argument depends on a name whose type is only a guess."""
    if len(passed) != 1:
        return False
    names = {node.id for node in ast.walk(passed[0]) if isinstance(node, ast.Name)}
    slots = [slot for name in names if (slot := situation.slot_of_name(name)) is not None]
    for slot in slots:
        planned = situation.plan.get(slot)
        is_unseen = slot.kind is SlotKind.PARAMETER and not situation.observed(slot)
        if is_unseen if planned is None else planned.origin is Origin.GUESS:
            return True
    return False
