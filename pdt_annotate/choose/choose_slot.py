"""Observations of one slot and types from the source → an annotation, or a finding.

Pure functions of values; nothing here runs user code or knows torch.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from pdt_annotate.choose.consolidate import consolidate, tells_nothing
from pdt_annotate.choose.legalize import legalize
from pdt_annotate.source import uses
from pdt_annotate.source.definitions import VARIADIC, Function, Parameter, ParameterKind
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.values.slots import Annotation, Classes, Finding, Illegal, Observation, Origin, Place, Seen, Slot
from pdt_annotate.values.types import ANY, DEVICE, FLOAT, INT, NONE, STR, TENSOR, TypeExpr

NUMBERS = (INT, FLOAT)

PassedTypes = Callable[[str], Sequence[TypeExpr]]
Namesake = Callable[[str], TypeExpr | None]  # returns the type of other parameters of the name


def choose_parameters(
    function: Function, seen: Seen, classes: Classes, namesake: Namesake, passed: PassedTypes
) -> Iterable[Annotation | Finding]:
    """An annotation, or the reason why it has none, for each parameter of one function that has none yet.

    `passed` returns the known types that the source passes for a parameter.
    """
    if function.settled:
        # A misread comment is the reason, if nobody asked to leave the function alone.
        lacking = next((p for p in function.parameters if not p.annotation), None)
        if lacking is not None and function.misread is not None:
            owner, comment = function.owner, function.misread
            message = f"{owner.qualname} is not annotated: {comment.why_closed}"
            place = Place(owner.file, comment.line, comment.column)
            yield Finding("PDT048", message, place, owner.parameter(lacking.name))
        return
    for parameter in function.parameters:
        slot = function.owner.parameter(parameter.name)
        if parameter.kind in VARIADIC:
            stars = "*" if parameter.kind is ParameterKind.VAR_POSITIONAL else "**"
            message = f"`{stars}{parameter.name}` cannot be compiled: TorchScript functions have a fixed signature"
            yield Finding("PDT001", message, parameter.place, slot)
            continue
        if parameter.kind is ParameterKind.KEYWORD_ONLY and parameter.value is not None:
            message = f"`{parameter.name}` is keyword-only with a default, which TorchScript does not support"
            yield Finding("PDT002", message, parameter.place, slot)
        if parameter.kind is ParameterKind.POSITIONAL_ONLY:
            message = f"`{parameter.name}` is positional-only, and TorchScript ignores such parameters"
            yield Finding("PDT003", message, parameter.place, slot)
        if function.node.name == "__exit__" and function.in_class and not parameter.annotation:
            # TorchScript requires Any: a compiled `with` passes no exception.
            yield Annotation(slot, ANY, Origin.SOURCE, ("exit",))
        elif not parameter.annotation:
            chosen = choose_parameter(function, parameter, seen, classes, namesake, passed)
            yield from filter(None, [chosen])


def choose_return(
    function: Function, seen: Seen, classes: Classes, infer: Callable[[], tuple[TypeExpr | None, bool]]
) -> Iterable[Annotation | Finding]:
    """The return of a function that the compiler does not read: it takes it for a Tensor if there is no annotation.

    `infer` returns the type in the source, and whether that is a guess; it is called if no example showed one.
    """
    if function.settled or function.returns:
        return
    slot = function.owner.returned
    observed = seen.get(slot, ())
    type_, is_guess = (None, False) if observed else infer()
    types = [o.type for o in observed] or ([] if type_ is None else [type_])
    if all(each.inherits(TENSOR.name) for each in types):
        return
    origin = Origin.OBSERVED if observed else Origin.GUESS if is_guess else Origin.SOURCE
    chosen = choose(slot, types, observed, classes, origin, function.place)
    if observed or isinstance(chosen, Annotation):  # a value that never occurred need not be legal
        yield chosen


def choose_parameter(
    function: Function, parameter: Parameter, seen: Seen, classes: Classes, namesake: Namesake, passed: PassedTypes
) -> Annotation | Finding | None:
    """The annotation of one parameter, from its observations joined with its default; None if nothing is known."""
    slot = function.owner.parameter(parameter.name)
    observed = seen.get(slot, ())
    in_source = passed(parameter.name) if all(tells_nothing(o.type) for o in observed) else ()
    if uses.is_used_as_tensor(function.node, parameter.name):
        in_source = [type_ for type_ in in_source if type_ in (NONE, TENSOR)]
    types = [o.type for o in observed]
    default = parameter.default
    if not types and (default is None or default == NONE or not default.args):
        # With another default, only its own type, None, and numbers with a number are believed.
        known = (NONE, *NUMBERS) if default in NUMBERS else (NONE, default)
        types = [type_ for type_ in in_source if default in (None, NONE) or type_ in known]
    members = [member for each in types for member in (each, *(each.args if each.name == "Union" else ()))]
    # An int literal is a fine default for a float, and then says nothing.
    is_for_float = default == NUMBERS[0] and any(member.name == "float" for member in members)
    if default is not None and default.name not in ("list", "dict", "set") and not is_for_float:
        types.append(default)
    origin = Origin.OBSERVED if observed else Origin.SOURCE
    if all(map(tells_nothing, types)):
        inferred, is_guess = _infer(function, parameter.name, namesake, in_source)
        types, origin = [*types, *inferred], Origin.GUESS if inferred and (observed or is_guess) else origin
    if not types:
        return None
    if STR in types and NONE in types and uses.is_passed_as_device(function.node, parameter.name):
        types = [DEVICE if each == STR else each for each in types]  # no Optional[str] is taken for a device
    chosen = choose(slot, types, observed, classes, origin, parameter.place)
    return _widen(chosen, function) if isinstance(chosen, Annotation) else chosen


def _infer(
    function: Function, name: str, namesake: Namesake, in_source: Sequence[TypeExpr]
) -> tuple[Sequence[TypeExpr], bool]:
    """The types that calls in the source pass; or a guess from the uses of a name, or from parameters of its name."""
    if known := [type_ for type_ in in_source if type_ != NONE]:
        return known, False
    if uses.is_used_as_tensor(function.node, name):
        return (), False
    inferred = uses.infer_from_uses(function.node, name) or namesake(name)
    return ([inferred], True) if inferred is not None else ((), False)


def choose(
    slot: Slot, types: Sequence[TypeExpr], observed: Sequence[Observation], classes: Classes, origin: Origin, at: Place
) -> Annotation | Finding:
    joined, join_rules = consolidate(types)
    legal = legalize(joined, slot.kind, classes)
    if isinstance(legal, Illegal):
        return Finding(legal.code, f"`{slot.name}`: {legal.reason}", at, slot)
    origin, rules = Origin.GUESS if legal.guess else origin, (*join_rules, *legal.rules)
    return Annotation(slot, legal.type, origin, rules, tuple(observed), legal.alternatives)


def _widen(annotation: Annotation, function: Function) -> Annotation:
    """The same with a wider type, if the body takes values of that type too."""
    name, type_ = annotation.slot.name, annotation.type
    wide, rule = type_, ""
    if uses.is_only_iterated(function.node, name):
        # `Tuple[T, T]` → `List[T]`: the length is the example's, not the code's.
        if type_.name == "tuple" and len(type_.args) > 1 and len(set(type_.args)) == 1:
            wide, rule = TypeExpr("list", type_.args[:1]), "iterated"
    # A person annotated the return as Any, and the body only asks for the class of the argument.
    elif (
        type_.name == "Union"
        and read_annotation(function.returns) == ANY
        and uses.is_only_told_apart(function.node, name)
    ):
        wide, rule = ANY, "open"
    if not rule:
        return annotation
    alternatives = (type_, *(each for each in annotation.alternatives if each != wide))
    return replace(annotation, type=wide, rules=(*annotation.rules, rule), alternatives=alternatives)


def explain_guess(annotation: Annotation, place: Place) -> Finding | None:
    """The finding that marks a guess from examples; None without examples."""
    if annotation.origin is not Origin.GUESS or not annotation.evidence:
        return None
    seen = annotation.evidence[0].type
    what = "None" if seen == NONE else f"an empty {seen.name}"
    code = "PDT031" if seen.name in ("list", "dict") else "PDT030"
    calls = list(dict.fromkeys(call for observation in annotation.evidence for call in observation.calls))
    where = f" ({', '.join(calls)})" if calls else ""
    name = f"`{annotation.slot.name}` of {annotation.slot.owner.qualname}"
    message = f"{name}: only {what} was seen{where}, so {annotation.type} is a guess"
    return Finding(code, message, place, annotation.slot)
