"""Findings on compiled targets: guesses, contradictions, values that lose something, unreached or third-party code."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from pdt_annotate.choose.choose_slot import explain_guess
from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.evidence import Evidence, is_stub
from pdt_annotate.choose.legalize import legalize
from pdt_annotate.emit.words import declared
from pdt_annotate.findings.messages.said import branch_types
from pdt_annotate.processes.tasks import TargetRun, third_party_files
from pdt_annotate.search.best_first import CutOff
from pdt_annotate.settings.options import Options
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.moves import Places
from pdt_annotate.source.project import Project
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.source.syntax import tested_classes
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import Overlaid
from pdt_annotate.values.slots import Annotation, Finding, Legal, Owner, Slot, SlotKind
from pdt_annotate.values.types import ANY, NONE, TypeExpr
from pdt_annotate.values.verdicts import Trial

NUMBERS = ("int", "float")
# By annotation, the other types that Python may pass into a compiled function for it.
WIDER = {"float": ("int", "bool"), "int": ("bool",), "complex": ("int", "float", "bool"), "torch.device": ("str",)}
# The same for containers, whose elements must be accepted as well.
CONTAINERS = {"list": ("list", "tuple"), "tuple": ("tuple", "list"), "dict": ("dict",)}


def review(evidence: Evidence, annotations: Iterable[Annotation], trial: Trial) -> Iterator[Finding]:
    """Yield the findings of one result, for the functions that the compiler read."""
    compiled = set(trial.compiled)
    written = {annotation.slot: annotation for annotation in annotations}
    for slot, findings in evidence.findings.items():
        if slot.owner in compiled:
            # If it compiles although it gets a module, it is a hook, and needs no annotation for that.
            yield from (finding for finding in findings if not (trial.ok and finding.code == "PDT013"))
    for slot, annotation in written.items():
        if slot.owner in compiled or slot.kind is SlotKind.ATTRIBUTE:
            yield from _review_annotation(evidence, annotation, differs=trial.compiles and not trial.ok)
    for function in filter(None, map(evidence.project.function, trial.compiled)):
        yield from _review_function(evidence, function, written)
    if evidence.lazy and trial.ok:
        lazy = ", ".join(evidence.lazy)
        yield Finding("PDT059", f"the model scripts only after a call, which creates the parameters of {lazy}")
    # Differences that were accepted, each once, with the calls that show it.
    accepted = [verdict.failure for verdict in trial.verdicts if verdict.ok and verdict.failure]
    calls = grouped(((each.code or "PDT066", each.message, each.place), each.call) for each in accepted)
    for (code, message, place), names in calls.items():
        where = ", ".join(filter(None, dict.fromkeys(names)))
        yield Finding(code, f"{where}: {message}" if where else message, place)


def _review_annotation(evidence: Evidence, annotation: Annotation, *, differs: bool) -> Iterator[Finding]:
    place = evidence.project.place_of(annotation.slot)
    yield from filter(None, [explain_guess(annotation, place)])
    is_by_repair_alone = annotation.because and not annotation.evidence and not annotation.final
    if annotation.slot.kind is not SlotKind.PARAMETER and is_by_repair_alone:
        name = f"`{annotation.slot.name}` of {annotation.slot.owner.qualname}"
        message = f"{name}: no example call shows {annotation.type}; it was inferred from a message of the compiler"
        yield Finding("PDT038", message, place, annotation.slot)
    if annotation.slot.kind is SlotKind.RETURN:
        # Types that branches return, by the message that asked for the annotation, and that differ from it.
        held = {member.name for member in annotation.type.members}
        for other in branch_types(annotation.because):
            if held.isdisjoint(member.name for member in other.members):
                message = f"{annotation.slot.owner.qualname}: a branch returns {other}, which becomes {annotation.type}"
                yield Finding("PDT042", message, place, annotation.slot)
    for message in _lost_types(evidence, annotation, differs):
        yield Finding("PDT064", f"`{annotation.slot.name}`{message}", place, annotation.slot)


def _lost_types(evidence: Evidence, annotation: Annotation, differs: bool) -> Iterator[str]:
    """Yield the number types that become the annotation's on entry: seen, by default, or tested in the body."""
    names = {part for observation in annotation.evidence for part in observation.type.names}
    written = annotation.type.names
    if "bool" in names and names & set(NUMBERS) and "bool" not in written:
        yield f" is a bool in some calls and a number in others; with {annotation.type}, True becomes 1"
    function = evidence.project.function(annotation.slot.owner)
    parameter = function.parameter(annotation.slot.name) if function else None
    if function is None or parameter is None:
        return
    wider = dict.fromkeys(name for type_ in written for name in WIDER.get(type_, ()))
    lost = [name for name in wider if name not in written and name not in names]
    if parameter.default is not None and parameter.default.name in lost:
        yield f" has a default of type {parameter.default.name}, which becomes {annotation.type}"
    tested = tested_classes(function.node, parameter.name)
    for name in lost:
        if name in tested:
            yield f" is tested with isinstance for {name} in the body, but {name} has become {annotation.type} before"
    asks_for_int = "int" in tested and "bool" not in tested  # True is an int to isinstance, but not in TorchScript
    if differs and asks_for_int and "bool" in names and annotation.type.name not in NUMBERS:
        asked = " was a bool, and is tested with isinstance for int in the body"
        yield f"{asked}: the test is True in Python and False in TorchScript; test for bool first"


def _review_function(
    evidence: Evidence, function: Function, written_now: Mapping[Slot, Annotation]
) -> Iterator[Finding]:
    owner = function.owner
    if function.skipped:
        message = f"{owner.qualname} is marked `# pdt: skip`, but the compiler compiles it"
        yield Finding("PDT033", message, function.place)
    if owner not in evidence.reached and not is_stub(function):
        yield from _review_unreached(function, written_now)
    for parameter in function.parameters:
        slot = owner.parameter(parameter.name)
        written = read_annotation(parameter.annotation) if parameter.annotation else None
        for observation in evidence.seen.get(slot, ()):
            if written is not None and not accepts(written, observation.type, evidence):
                seen = f"but {observation.type} was seen in {', '.join(observation.calls)}"
                message = f"`{parameter.name}` has the annotation {parameter.annotation}, {seen}"
                yield Finding("PDT032", message, parameter.place, slot)


def _review_unreached(function: Function, written: Mapping[Slot, Annotation]) -> Iterator[Finding]:
    owner, said = function.owner, []
    for parameter in function.parameters if not function.settled else ():
        annotation = written.get(owner.parameter(parameter.name))
        if annotation is not None:
            said.append(f"`{parameter.name}` is {annotation.type} ({annotation.origin.value})")
        elif not parameter.annotation:
            said.append(f"`{parameter.name}` has no annotation, so TorchScript assumes a Tensor")
    if said:
        message = f"{owner.qualname} is compiled, but no example call runs it: {', '.join(said)}"
        yield Finding("PDT037", message, function.place)


def accepts(written: TypeExpr, observed: TypeExpr, evidence: Evidence) -> bool:
    """Return whether an annotation accepts a value of the observed type, or of a type that we cannot judge."""
    wanted = written.members
    return ANY in wanted or all(any(_takes(one, seen, evidence) for one in wanted) for seen in observed.members)


def _takes(wanted: TypeExpr, seen: TypeExpr, evidence: Evidence) -> bool:
    """Return whether Python may pass a value into a compiled function, element by element in containers."""
    if NONE in (wanted, seen):
        return wanted == seen
    legal = legalize(consolidate([seen])[0], SlotKind.PARAMETER, evidence.classes)
    if not isinstance(legal, Legal) or (seen.name in ("list", "dict") and not seen.args):
        return True
    if wanted in (legal.type, *legal.alternatives) or legal.type.name in WIDER.get(wanted.name, ()):
        return True
    elements = legal.type.args
    if legal.type.name not in CONTAINERS.get(wanted.name, ()):
        return False
    if wanted.name == "list":
        return all(accepts(wanted.args[0], element, evidence) for element in elements)
    if legal.type.name == "list":  # its length is unknown
        elements *= len(wanted.args)
    pairs = zip(wanted.args, elements, strict=False)
    return len(elements) == len(wanted.args) and all(accepts(one, element, evidence) for one, element in pairs)


def review_mends(mends: Iterable[Mend]) -> Iterator[Finding]:
    for mend in mends:
        if mend.left_out:
            yield Finding("PDT093", f"{mend.owner.qualname}: {mend.left_out}", mend.place)


def review_cut_off(cut_off: CutOff | None, seconds: float, project: Project) -> Iterator[Finding]:
    """Yield that the search ended early, with the next change it would try, or that it may have kept too much."""
    ended = f"the search ended after {seconds:g} s"
    if cut_off and cut_off.next_step:
        yield Finding("PDT091", f"{ended}, before {cut_off.next_step}")
    elif cut_off and cut_off.proposal:
        changes = cut_off.proposal.changes
        next_ = ", ".join(f"`{declared(each)}` in {each.slot.owner.qualname}" for each in changes)
        yield Finding("PDT091", f"{ended}; the next step would be to try {next_}", project.place_of(changes[0].slot))
    elif cut_off:
        yield Finding("PDT091", f"{ended}; some annotations may be unnecessary, because there was no time to test them")


def unreached(evidence: Evidence, trial: Trial) -> tuple[Owner, ...]:
    """Return the functions that were compiled but never entered; the stubs of overloads never run."""
    functions = filter(None, map(evidence.project.function, trial.compiled))
    return tuple(f.owner for f in functions if f.owner not in evidence.reached and not is_stub(f))


def review_third_party(
    options: Options, overlaid: Sequence[Overlaid], annotations: Iterable[Annotation], mends: Iterable[Mend] = ()
) -> Iterator[Finding]:
    """Yield a finding for each third-party function or class that is typed or mended, if no overlay is kept."""
    modules = {each.change.file: each.module for each in overlaid}
    places = Places()
    done = {mend.owner: "changed" for mend in mends} | {each.slot.owner: "annotated" for each in annotations}
    for owner, what in done.items() if not options.overlay else ():
        if owner.file in modules:
            message = f"{owner.qualname} of {modules[owner.file]} had to be {what} in a copy"
            yield Finding("PDT080", message, places.of(owner))


def find_in_the_way(options: Options, project: Project, runs: Iterable[TargetRun], trial: Trial) -> Iterator[Finding]:
    """Yield the compiled third-party functions without annotations, if they must not be typed and a trial failed."""
    if trial.ok or options.types_third_party:
        return
    modules = {file: name for run in runs for name, file in third_party_files(run.session).items()}
    for owner in trial.compiled:
        function = project.reading_at(owner.file, owner.line) if owner.file in modules else None
        is_read = function is not None and not function.type_comments
        if function and is_read and not all(parameter.annotation for parameter in function.parameters):
            yield Finding("PDT081", f"{owner.qualname} of {modules[owner.file]} is compiled", function.place)
