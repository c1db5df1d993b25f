"""What the user must know of a result: guesses, contradictions, values that lose something, code never reached."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pdt_annotate.consolidate import consolidate
from pdt_annotate.evidence import Evidence
from pdt_annotate.ir import (
    ANY,
    NONE,
    Annotation,
    Finding,
    Legal,
    Owner,
    Slot,
    SlotKind,
    Trial,
    TypeExpr,
)
from pdt_annotate.legalize import legalize
from pdt_annotate.slots import explain_guess
from pdt_annotate.survey import Function
from pdt_annotate.written import read_annotation

NUMBERS = ("int", "float")
EMPTY = ("list", "dict")
WIDER = {"float": ("int", "bool"), "int": ("bool",), "complex": ("int", "float", "bool"), "torch.device": ("str",)}
"""By annotation, the other types that pass from Python into a compiled function."""

CONTAINERS = {"list": ("list", "tuple"), "tuple": ("tuple", "list"), "dict": ("dict",)}
"""The same for containers, whose elements must pass as well."""


def review(evidence: Evidence, annotations: Iterable[Annotation], trial: Trial) -> Iterator[Finding]:
    """The findings of one result, for the functions that the compiler read."""
    compiled = set(trial.compiled)
    for slot, findings in evidence.findings.items():
        if slot.owner in compiled:
            yield from findings
    for annotation in annotations:
        if annotation.slot.owner in compiled:
            yield from _review_annotation(evidence, annotation)
    for owner in trial.compiled:
        function = evidence.project.function(owner)
        if function is not None:
            yield from _review_function(evidence, function)
    yield from _review_answers(trial)


def _review_annotation(evidence: Evidence, annotation: Annotation) -> Iterator[Finding]:
    line = _line(evidence, annotation.slot)
    guess = explain_guess(annotation, line)
    if guess is not None:
        yield guess
    names = {part for observation in annotation.evidence for part in _parts(observation.type)}
    written = set(_parts(annotation.type))
    if "bool" in names and names & set(NUMBERS) and "bool" not in written:
        message = f"`{annotation.slot.name}`: bool was seen beside a number; as {annotation.type}, True becomes 1"
        yield Finding("PDT064", message, annotation.slot.owner.file, line, annotation.slot)


def _parts(type_: TypeExpr) -> Iterator[str]:
    yield type_.name
    for arg in type_.args:
        yield from _parts(arg)


def _line(evidence: Evidence, slot: Slot) -> int:
    function = evidence.project.function(slot.owner)
    parameter = function.parameter(slot.name) if function else None
    return parameter.line if parameter else slot.line or slot.owner.line


def _review_function(evidence: Evidence, function: Function) -> Iterator[Finding]:
    owner = function.owner
    if function.skipped:
        message = f"{owner.qualname} is marked `# pdt: skip`, but the compiler reads it"
        yield Finding("PDT033", message, owner.file, function.line)
    if owner not in evidence.reached and any(not p.annotation for p in function.parameters):
        message = f"{owner.qualname} is compiled, and no example call enters it"
        yield Finding("PDT037", message, owner.file, function.line)
    for parameter in function.parameters:
        slot = Slot(owner, SlotKind.PARAMETER, parameter.name)
        written = read_annotation(parameter.annotation) if parameter.annotation else None
        observed = [o for o in evidence.seen.get(slot, ()) if written is not None]
        for observation in observed:
            if written is not None and not accepts(written, observation.type, evidence):
                message = (
                    f"`{parameter.name}` is annotated {parameter.annotation}, but {observation.type} was seen"
                    f" in {', '.join(observation.calls)}"
                )
                yield Finding("PDT032", message, owner.file, parameter.line, slot)


def accepts(written: TypeExpr, observed: TypeExpr, evidence: Evidence) -> bool:
    """Whether a value of the observed type may be passed where an annotation stands; a type we cannot judge may."""
    wanted = _members(written)
    return ANY in wanted or all(any(_takes(one, seen, evidence) for one in wanted) for seen in _members(observed))


def _members(type_: TypeExpr) -> tuple[TypeExpr, ...]:
    if type_.name == "Optional":
        return (*_members(type_.args[0]), NONE)
    return type_.args if type_.name == "Union" else (type_,)


def _takes(wanted: TypeExpr, seen: TypeExpr, evidence: Evidence) -> bool:
    """What the boundary between Python and a compiled function lets through, element by element in containers."""
    if NONE in (wanted, seen):
        return wanted == seen
    legal = legalize(consolidate([seen])[0], SlotKind.PARAMETER, evidence.classes)
    if not isinstance(legal, Legal) or (seen.name in EMPTY and not seen.args):
        return True
    if wanted in (legal.type, *legal.alternatives) or legal.type.name in WIDER.get(wanted.name, ()):
        return True
    return _takes_elements(wanted, legal.type, evidence)


def _takes_elements(wanted: TypeExpr, seen: TypeExpr, evidence: Evidence) -> bool:
    elements = seen.args
    if wanted.name not in CONTAINERS or seen.name not in CONTAINERS[wanted.name]:
        return False
    if wanted.name == "list":
        return all(accepts(wanted.args[0], element, evidence) for element in elements)
    if seen.name == "list":  # its length is not known
        elements *= len(wanted.args)
    return len(elements) == len(wanted.args) and all(
        accepts(one, element, evidence) for one, element in zip(wanted.args, elements, strict=True)
    )


def _review_answers(trial: Trial) -> Iterator[Finding]:
    for verdict in trial.verdicts:
        failure = verdict.failure
        if failure is None or not verdict.ok:
            continue
        code = "PDT065" if failure.alike else "PDT066"
        yield Finding(code, f"{failure.call}: {failure.message}", failure.file, failure.line)


def unreached(evidence: Evidence, trial: Trial) -> tuple[Owner, ...]:
    """The functions that were compiled without any example call entering them."""
    return tuple(o for o in trial.compiled if evidence.project.function(o) and o not in evidence.reached)
