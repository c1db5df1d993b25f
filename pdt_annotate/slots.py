"""The pure middle, slot by slot: observations and what the source says → an annotation, or a finding.

Pure functions of values; nothing here runs user code or knows torch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pdt_annotate.consolidate import consolidate
from pdt_annotate.ir import (
    NONE,
    Annotation,
    ClassInfo,
    Finding,
    Illegal,
    Observation,
    Origin,
    Slot,
    SlotKind,
    TypeExpr,
)
from pdt_annotate.legalize import legalize
from pdt_annotate.namesakes import Namesakes
from pdt_annotate.survey import Function, Parameter, ParameterKind
from pdt_annotate.usage import infer_from_uses, is_only_iterated, is_used_as_tensor

VARIADIC = (ParameterKind.VAR_POSITIONAL, ParameterKind.VAR_KEYWORD)
GUESSED_FROM = {"None": "PDT030", "list": "PDT031", "dict": "PDT031"}

Chosen = Annotation | Finding | None


def choose_parameters(
    function: Function,
    seen: Mapping[Slot, Sequence[Observation]],
    classes: Mapping[str, ClassInfo],
    namesakes: Namesakes,
) -> Iterable[Annotation | Finding]:
    """An annotation, or the reason why there is none, for each parameter of one function that has none yet."""
    if function.settled:
        return
    for parameter in function.parameters:
        slot = Slot(function.owner, SlotKind.PARAMETER, parameter.name)
        if parameter.kind in VARIADIC:
            yield _variadic(slot, parameter)
            continue
        if parameter.kind is ParameterKind.KEYWORD_ONLY and parameter.has_default:
            message = f"`{parameter.name}` is keyword-only with a default, which TorchScript does not support"
            yield Finding("PDT002", message, slot.owner.file, parameter.line, slot)
        if parameter.kind is ParameterKind.POSITIONAL_ONLY:
            message = f"`{parameter.name}` is positional-only; TorchScript drops such parameters from the signature"
            yield Finding("PDT003", message, slot.owner.file, parameter.line, slot)
        if not parameter.annotation:
            yield from _present(choose_parameter(
                function, parameter, slot, seen.get(slot, ()), classes, namesakes
            ))


def _present(chosen: Chosen) -> Iterable[Annotation | Finding]:
    return () if chosen is None else (chosen,)


def _variadic(slot: Slot, parameter: Parameter) -> Finding:
    stars = "*" if parameter.kind is ParameterKind.VAR_POSITIONAL else "**"
    message = f"`{stars}{parameter.name}` cannot be compiled: TorchScript functions have a fixed signature"
    return Finding("PDT001", message, slot.owner.file, parameter.line, slot)


def choose_parameter(
    function: Function,
    parameter: Parameter,
    slot: Slot,
    observed: Sequence[Observation],
    classes: Mapping[str, ClassInfo],
    namesakes: Namesakes,
) -> Chosen:
    """The annotation of one parameter, from what was observed joined with its default; None where nothing is known."""
    types = [o.type for o in observed]
    types += _default_types(parameter, types)
    origin = Origin.OBSERVED if observed else Origin.SOURCE
    if set(types) <= {NONE}:
        inferred = _infer(function, parameter.name, namesakes)
        types, origin = [*types, *inferred], Origin.GUESS if observed and inferred else origin
    if not types:
        return None
    chosen = choose(slot, types, observed, classes, origin, parameter.line)
    if isinstance(chosen, Annotation) and is_only_iterated(function.node, parameter.name):
        return _any_length(chosen)
    return chosen


def _infer(function: Function, name: str, namesakes: Namesakes) -> list[TypeExpr]:
    """What the body's uses of a name say, or else parameters of the same name; nothing where it is a Tensor."""
    if is_used_as_tensor(function.node, name):
        return []
    inferred = infer_from_uses(function.node, name) or namesakes.of_parameter(function.owner, name)
    return [inferred] if inferred is not None else []


def _default_types(parameter: Parameter, observed: Sequence[TypeExpr]) -> list[TypeExpr]:
    """The default's type as evidence. An int literal is a fine default for a float, and then says nothing."""
    default = parameter.default
    if default is None or (default.name in ("list", "dict", "set")):
        return []
    if default.name == "int" and any(_holds_float(type_) for type_ in observed):
        return []
    return [default]


def _holds_float(type_: TypeExpr) -> bool:
    return type_.name == "float" or (type_.name == "Union" and any(arg.name == "float" for arg in type_.args))


def choose(
    slot: Slot,
    types: Sequence[TypeExpr],
    observed: Sequence[Observation],
    classes: Mapping[str, ClassInfo],
    origin: Origin,
    line: int,
) -> Annotation | Finding:
    """Consolidate and legalize the types of one slot."""
    joined, join_rules = consolidate(types)
    legal = legalize(joined, slot.kind, classes)
    if isinstance(legal, Illegal):
        return Finding(legal.code, f"`{slot.name}`: {legal.reason}", slot.owner.file, line, slot)
    return Annotation(
        slot=slot,
        type=legal.type,
        origin=Origin.GUESS if legal.guess else origin,
        rules=(*join_rules, *legal.rules),
        evidence=tuple(observed),
        alternatives=legal.alternatives,
    )


def _any_length(annotation: Annotation) -> Annotation:
    """`Tuple[T, T]` → `List[T]`, where the body only iterates: its length is the example's, not the code's."""
    type_ = annotation.type
    if type_.name != "tuple" or len(type_.args) < 2 or len(set(type_.args)) != 1:
        return annotation
    listed = TypeExpr("list", type_.args[:1])
    alternatives = (type_, *(a for a in annotation.alternatives if a != listed))
    return Annotation(
        slot=annotation.slot,
        type=listed,
        origin=annotation.origin,
        rules=(*annotation.rules, "iterated"),
        evidence=annotation.evidence,
        alternatives=alternatives,
    )


def explain_guess(annotation: Annotation, line: int) -> Finding | None:
    """The finding that marks a guess as one."""
    if annotation.origin is not Origin.GUESS:
        return None
    seen = annotation.evidence[0].type if annotation.evidence else NONE
    what = "None" if seen == NONE else f"an empty {seen.name}"
    code = GUESSED_FROM.get(seen.name, "PDT030")
    calls = list(dict.fromkeys(call for observation in annotation.evidence for call in observation.calls))
    where = f" ({', '.join(calls)})" if calls else ""
    name = f"`{annotation.slot.name}` of {annotation.slot.owner.qualname}"
    message = f"{name}: only {what} was seen{where}, so {annotation.type} is a guess"
    return Finding(code, message, annotation.slot.owner.file, line, annotation.slot)
