"""The types of arguments and parameters: of a call that does not fit, and of a parameter with another use."""

import ast
from collections.abc import Iterator
from itertools import islice

from pdt_annotate.findings.messages import said
from pdt_annotate.search.repair.expect import propose_expected, without_none
from pdt_annotate.search.repair.situation import Proposal, Situation
from pdt_annotate.source.definitions import Function, literal_type
from pdt_annotate.source.expressions import constant_of_module
from pdt_annotate.source.scopes import names_in
from pdt_annotate.source.syntax import called_name, is_name, passed_argument
from pdt_annotate.source.uses import element_names, infer_from_uses, is_used_as_tensor
from pdt_annotate.values.slots import Annotation, Origin, SlotKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr


def propose_arguments(situation: Situation) -> Iterator[Proposal]:
    """`helper(Tensor x, Tensor k): Expected a value of type 'T' for argument 'k' but instead found type 'U'`.

    Widen the callee's parameter, so that it also takes `U`; then give the name that the caller passes the type `T`.
    """
    signature, one_of_many = said.SIGNATURE.read(situation.message), said.VARIADIC.read(situation.message)
    mismatch = one_of_many or said.MISMATCH.read(situation.message)
    if signature is None or mismatch is None or said.OPERATOR.is_in(situation.message):
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
    for called in situation.called_names:
        callees.update((function.owner, function) for function in situation.uncompiled_named(called))
    for callee in callees.values():
        # If the argument is unknown, try every name in the statement.
        passed = list(_passed_to(situation, callee, argument))[:1] or [ast.Name(name) for name in situation.names]
        retype: list[Proposal] = []
        if wanted is not None and not inferred:
            for expression in passed:
                retype += propose_expected(situation, expression, wanted)
                if isinstance(expression, ast.Name):
                    retype += situation.propose_for_name(expression.id, [wanted])
        # If the caller's argument is a guess, prefer the type that the callee knows.
        if _is_guess(situation, passed):
            yield from retype
        if found is not None:
            yield from _widen(situation, callee, argument, wanted, found, inferred)
        yield from retype


def _passed_to(situation: Situation, callee: Function, argument: str) -> Iterator[ast.expr]:
    """The expressions that the statement passes for a parameter of a function that it calls by name."""
    name = callee.owner.qualname.rpartition(".")[2]
    calls = (node for node in ast.walk(situation.statement) if isinstance(node, ast.Call))
    meant = (node for node in calls if called_name(node) == name or name == "forward")
    return (passed for call in meant if (passed := passed_argument(call, callee, argument)) is not None)


def _widen(
    situation: Situation, callee: Function, argument: str, wanted: TypeExpr | None, found: TypeExpr, inferred: bool
) -> Iterator[Proposal]:
    parameter = callee.parameter(argument)
    if parameter is None or not situation.is_free(callee, parameter):
        return
    slot = callee.owner.parameter(argument)
    default = [parameter.default] if parameter.default is not None and parameter.default.name != "list" else []
    observed = [type_ for type_ in situation.observed(slot) if type_ != NONE]
    if not observed:
        yield from situation.propose(slot, [found, *default])
    if observed or not inferred:
        yield from situation.propose(slot, [found, *observed, *default])
    if wanted is not None:
        yield from situation.propose(slot, [found, wanted, *default])


def _is_guess(situation: Situation, passed: list[ast.expr]) -> bool:
    """Whether the caller's argument depends on a name whose type is only a guess."""
    for slot in filter(None, map(situation.slot_of_name, names_in(*passed) if len(passed) == 1 else ())):
        planned = situation.plan.get(slot)
        is_unseen = slot.kind is SlotKind.PARAMETER and not situation.observed(slot)
        if is_unseen if planned is None else planned.origin is Origin.GUESS:
            return True
    return False


def propose_defaults(situation: Situation) -> Iterator[Proposal]:
    """`Expected a default value of type T on parameter "p"`: join the type of the default with the parameter's."""
    facts, function = said.DEFAULT.read(situation.message), situation.function
    parameter = function.parameter(facts["name"]) if facts and function else None
    if function is None or parameter is None or not situation.is_free(function, parameter):
        return
    slot = function.owner.parameter(parameter.name)
    planned = situation.plan.get(slot)
    now = [planned.type] if planned else []
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


def propose_operators(situation: Situation) -> Iterator[Proposal]:
    """`Arguments for call are not valid. The following variants are available: …`: no variant takes the arguments.

    Give the passed value the type that a variant wants, one variant after the other.
    """
    for variant in said.VARIANT.read_all(situation.message):
        wanted = variant.type("wanted")
        if wanted is None or wanted == NONE or variant.is_inferred("wanted"):
            continue
        for passed in _passed(situation.statement, variant):
            yield from propose_expected(situation, passed, wanted)


def _passed(statement: ast.stmt, variant: said.Facts) -> Iterator[ast.expr]:
    """The values that the statement's calls of this name pass for the argument, by keyword or by position."""
    order, argument = variant.parameters, variant["argument"]
    order = [name for name in order if name not in ("self", "*")] if "self" in order else order
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call) or called_name(node) != variant["name"]:
            continue
        yield from (keyword.value for keyword in node.keywords if keyword.arg == argument)
        index = order.index(argument) if argument in order else len(order)
        if index < len(node.args) and not isinstance(node.args[index], ast.Starred):
            yield node.args[index]


def propose_unnamed_methods(situation: Situation) -> Iterator[Proposal]:
    """`propagate(Net self, Tensor weight): Expected a value of type 'Tensor' for argument 'weight' …`, of a method that
    no source has: it was generated from the annotations of others when its class was built.

    Let the methods of the class that have the parameter take the argument, and have the class built again. A parameter
    has the same type as in `message(self, x_j, weight)`, for example, or `message(self, weight_i)`; so has the field of
    a generated named tuple of arguments: `Arguments(Tensor x_j, int size_i): Expected a value …`.
    """
    signature, mismatch = said.SIGNATURE.read(situation.message), said.MISMATCH.read(situation.message)
    if signature is None or mismatch is None:
        return
    compiled = said.COMPILED_FOR.read(situation.failure.text) if situation.function is None else None
    class_name = signature["receiver"].rpartition(".")[2] or (compiled["class_name"] if compiled else "")
    if not class_name:
        return
    found, argument = mismatch.type("found"), mismatch["argument"]
    if found is None or any(read.parameter(argument) for read in situation.functions_named(signature["name"])):
        return
    changes: list[Annotation] = []
    functions = (f for file in situation.files for f in situation.project.read(file).functions)
    methods = (f for f in functions if f.in_class.rpartition(".")[2] == class_name and f != situation.function)
    for method in methods:
        for parameter in method.parameters:
            # A generated parameter may come from one of its name, or of a longer name that begins with it.
            is_meant = f"{parameter.name}_".startswith(f"{argument}_")
            if is_meant and situation.is_free(method, parameter):
                slot = method.owner.parameter(parameter.name)
                wider = islice(situation.annotate(slot, [found, *situation.observed(slot)]), 1)
                changes += filter(situation.is_new, wider)
    if changes:
        yield Proposal(tuple(changes), rebuilds=True)


def propose_misuse(situation: Situation) -> Iterator[Proposal]:
    """Retype parameters without annotations or observed values that the failing statement mentions, or their elements.

    Un-annotated it is a Tensor to the compiler, and the body uses it as something else; or the type that the source
    suggested was wrong, and it is a Tensor.
    """
    function, named = situation.function, situation.names
    if function is None:
        return
    looped = [p.name for p in function.parameters if not set(named).isdisjoint(element_names(function.node, p.name))]
    for name in dict.fromkeys((*named, *looped)):
        parameter = function.parameter(name)
        if parameter is None or not situation.is_free(function, parameter):
            continue
        slot = function.owner.parameter(name)
        if any(type_ != NONE for type_ in situation.observed(slot)):
            continue
        default = [parameter.default] if parameter.default is not None else []
        for guess in _guesses(situation, function, name):
            yield from situation.propose(slot, [guess, *default])


def _guesses(situation: Situation, function: Function, name: str) -> Iterator[TypeExpr]:
    planned = situation.plan.get(function.owner.parameter(name))
    if is_used_as_tensor(function.node, name):
        yield TENSOR
        return
    optional = said.OPTIONAL_USED.read(situation.message)
    if optional is not None:
        if planned is not None and planned.type == optional.type("type"):
            yield from without_none(planned.type)
        return
    inferred = infer_from_uses(function.node, name)
    if inferred is not None:
        yield inferred
    for facts in said.MISMATCH.read_all(situation.message):  # the variants of an operator that found a Tensor
        if "Tensor" in facts["found"]:
            yield from (type_ for type_ in facts.types("wanted") if type_ != NONE)
    if planned is not None and planned.origin in (Origin.GUESS, Origin.SOURCE) and planned.type != TENSOR:
        yield TENSOR
