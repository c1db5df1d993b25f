"""The faults of the targets that fail: the findings of the child processes, joined with the evidence."""

import ast
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.choose.legalize import legalize
from pdt_annotate.findings.remedies import remedies
from pdt_annotate.mends import all_rules
from pdt_annotate.processes import tasks
from pdt_annotate.search.plan import Plan, Trials
from pdt_annotate.values.errors import UserCodeError
from pdt_annotate.values.slots import Annotation, Legal, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Answers, Blame, Failure, Fault, Part, Trial


def blame_failing(trials: Trials, plan: Plan, trial: Trial) -> tuple[Blame, ...]:
    """The blame for each target, after a trial of a plan that ended at the first target that fails."""
    candidate = trials.render(plan)
    each = [trial] if len(trials.runs) == 1 else [tasks.attempt(run.session, candidate) for run in trials.runs]
    return find_culprits(trials, plan, each)


def find_culprits(trials: Trials, plan: Plan, each: Sequence[Trial]) -> tuple[Blame, ...]:
    """The module tree of every target, with advice on each fault; empty if that takes too long or crashes."""
    evidence = trials.evidence
    chosen = evidence.choose(evidence.entered)
    known = (a for a in chosen if (a.evidence or a.origin is not Origin.GUESS) and plan.get(a.slot) is None)
    fuller = plan.with_(known)
    # By function: the parameters without annotation, and the type of the result if examples show it.
    types: dict[Owner, list[Annotation]] = defaultdict(list)
    returns = (slot for slot in evidence.seen if slot.kind is SlotKind.RETURN)
    results = (Annotation(slot, type_) for slot in returns if (type_ := _seen_type(slot, evidence)))
    for annotation in (*fuller.changes_from(plan), *results):
        types[annotation.slot.owner].append(annotation)
    known_types = {owner: tuple(annotations) for owner, annotations in types.items()}
    candidate, annotated = trials.render(plan), trials.render(fuller)
    on_disk = trials.place_on_disk(fuller)

    def find(run: tasks.TargetRun, trial: Trial) -> Blame:
        parts = tasks.blame(run.session, candidate, trial, known_types, annotated)
        unjudged = tuple(part for part in parts if part.answers is Answers.NOT_JUDGED)
        judged = (part for part in parts if part not in unjudged)
        return Blame(run.target, tuple(advise(part, evidence, on_disk) for part in judged), unjudged)

    try:
        return tuple(find(run, trial) for run, trial in zip(trials.runs, each, strict=True))
    except UserCodeError:  # the verdict is valid without the blame
        return ()


def advise(part: Part, evidence: Evidence, on_disk: Callable[[Failure], Failure]) -> Part:
    faults: list[Fault] = []
    for fault in part.faults:
        function = evidence.project.function(fault.owner) if fault.owner else None
        node = function.node if function else None
        # Generators are not observed, and files elsewhere are not ours.
        is_observed = node and not any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in ast.walk(node))
        slots = [slot for slot in evidence.seen if function and slot.owner == fault.owner]
        passed = [slot for slot in slots if slot.kind is SlotKind.PARAMETER]
        seen = {slot.name: type_ for slot in passed if (type_ := _seen_type(slot, evidence))}
        is_entered = not is_observed or fault.owner in evidence.reached
        advice = remedies(fault, part, node, is_entered=is_entered, seen=seen)
        asked_for = tuple(rule.name for rule in all_rules() if rule.is_asked_for(fault.failure))
        faults.append(replace(fault, failure=on_disk(fault.failure), advice=advice, asked_for=asked_for))
    return replace(part, faults=tuple(faults))


def _seen_type(slot: Slot, evidence: Evidence) -> TypeExpr | None:
    legal = legalize(consolidate([o.type for o in evidence.seen[slot]])[0], slot.kind, evidence.classes)
    return legal.type if isinstance(legal, Legal) else None
