"""The parts at fault if the whole fails, after repair, so that nobody is blamed for a fault that annotations end.

Parts are repaired one by one, each alone, on the calls recorded for it. If a part has other faults as well, the blame
that is left judges repair's proposals for each fault: a change is good if it ends a fault and causes none.
"""

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from pdt_annotate.choose.consolidate import consolidate
from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.choose.legalize import legalize
from pdt_annotate.findings.catalogue import entry
from pdt_annotate.findings.remedies import remedies
from pdt_annotate.mends import all_rules
from pdt_annotate.processes import tasks
from pdt_annotate.processes.tasks import TargetRun
from pdt_annotate.search.best_first import Search, Step
from pdt_annotate.search.plan import Plan, Trials
from pdt_annotate.search.problems import Repairing
from pdt_annotate.search.repair import Proposal
from pdt_annotate.values.budget import Budget
from pdt_annotate.values.errors import UserCodeError
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.slots import Annotation, Legal, Origin, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import SCRIPTS, Answers, Blame, Failure, Fault, Part, Trial, Verdict
from pdt_annotate.verify.text_judges import accept_undecided


def find_culprits(trials: Trials, plan: Plan, each: Sequence[Trial]) -> tuple[Blame, ...]:
    """The module tree of every target, with advice on each fault; empty if that takes too long or crashes."""
    evidence = trials.evidence
    chosen = evidence.choose(evidence.entered)
    known = (a for a in chosen if (a.evidence or a.origin is not Origin.GUESS) and plan.get(a.slot) is None)
    fuller = plan.with_(known)
    # By function: the parameters without annotation, and the type of the result if examples show it.
    returns = (slot for slot in evidence.seen if slot.kind is SlotKind.RETURN)
    results = (Annotation(slot, type_) for slot in returns if (type_ := _seen_type(slot, evidence)))
    types = grouped((a.slot.owner, a) for a in (*fuller.changes_from(plan), *results))
    known_types = {owner: tuple(annotations) for owner, annotations in types.items()}
    candidate, annotated = trials.render(plan), trials.render(fuller)
    on_disk = trials.place_on_disk(fuller)

    def find(run: TargetRun, trial: Trial) -> Blame:
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
        slots = (slot for slot in evidence.seen if function and slot.owner == fault.owner)
        passed = (slot for slot in slots if slot.kind is SlotKind.PARAMETER)
        seen = {slot.name: type_ for slot in passed if (type_ := _seen_type(slot, evidence))}
        is_entered = not is_observed or fault.owner in evidence.reached
        constant = (p for p in (function.parameters if function else ()) if isinstance(p.value, ast.Constant))
        defaults = {p.name: p.default for p in constant if p.default}
        advice = remedies(fault, part, node, is_entered=is_entered, defaults=defaults, seen=seen)
        asked_for = tuple(rule.name for rule in all_rules() if rule.is_asked_for(fault.failure))
        faults.append(replace(fault, failure=on_disk(fault.failure), advice=advice, asked_for=asked_for))
    return replace(part, faults=tuple(faults))


def _seen_type(slot: Slot, evidence: Evidence) -> TypeExpr | None:
    legal = legalize(consolidate([o.type for o in evidence.seen[slot]])[0], slot.kind, evidence.classes)
    return legal.type if isinstance(legal, Legal) else None


def repair_parts(trials: Trials, step: Step) -> tuple[Step, tuple[Blame, ...]]:
    """The step with repair's annotations for its unsound parts and their faults, and the blame that is left."""
    repair = PartsRepair(trials, trials.budget.part("parts"))
    return repair.run(repair.blame(step))


@dataclass(frozen=True)
class Blamed:
    step: Step
    blames: tuple[Blame, ...]

    @property
    def faults(self) -> dict[tuple[str, str, int, str], tuple[Part, Fault]]:
        """The faults by a key that ignores the columns of a line."""
        return {
            (fault.code, fault.failure.place.file, fault.failure.place.line, fault.failure.message): (part, fault)
            for blame in self.blames
            for part in blame.parts
            for fault in part.faults
        }

    @property
    def hides(self) -> int:
        """The number of parts in which the faults found may hide more."""
        return sum(part.hidden for blame in self.blames for part in blame.parts)


@dataclass
class PartsRepair:
    """The repair of the faults in one run, which begins nothing new when its time is over."""

    trials: Trials
    budget: Budget

    def run(self, blamed: Blamed) -> tuple[Step, tuple[Blame, ...]]:
        cut_off, plan = blamed.step.cut_off, blamed.step.plan
        # Repair each unsound part whose faults may be mended alone, the deepest first.
        for run, blame in zip(self.trials.runs, blamed.blames, strict=False):
            for path in _repairable(blame):
                if not self.budget.is_spent:
                    plan = _repair(ModuleAlone(self.trials, run, path), plan)
        if plan != blamed.step.plan:
            blamed = self._try(plan)
        blamed = self._drop_guesses(blamed)
        for doubt in range(self.budget.steps):
            blamed = self._repair_faults(blamed, doubt)
        step = blamed.step if blamed.step.cut_off == cut_off else replace(blamed.step, cut_off=cut_off)
        return step, blamed.blames

    def _drop_guesses(self, blamed: Blamed) -> Blamed:
        """Drop repair's annotations of functions and classes with faults, unless that adds faults: nobody wrote them.

        If the whole scripts with them, they stay.
        """
        owners = {fault.owner for _, fault in blamed.faults.values() if fault.owner}
        classes = {(owner.file, owner.qualname.rpartition(".")[0]) for owner in owners}
        plan = blamed.step.plan
        dropped = [
            a.slot
            for a in plan.annotations.values()
            if a.origin is Origin.REPAIR
            if a.slot.owner in owners or a.slot.owner.name in classes or is_loose(a)
        ]
        if not dropped or blamed.step.trial.compiles or self.budget.is_spent:
            return blamed
        without = self._try(plan.without(dropped))
        more = len(without.faults) > len(blamed.faults) or without.hides > blamed.hides
        return blamed if more else without

    def _repair_faults(self, blamed: Blamed, doubt: int) -> Blamed:
        """With proposal number `doubt` for all faults at once; otherwise with the proposals that ended their fault."""
        asked = ((key, self._ask(blamed.step.plan, *each, doubt)) for key, each in blamed.faults.items())
        said = {key: changes for key, changes in asked if changes}
        while said and not self.budget.is_spent:
            after = self._try(blamed.step.plan.with_(change for changes in said.values() for change in changes))
            if after.step.trial.ok or (not after.faults.keys() - blamed.faults.keys() and after.hides <= blamed.hides):
                return after if len(after.faults) < len(blamed.faults) else blamed
            helped = {key: each for key, each in said.items() if key not in after.faults}
            said = helped if len(helped) < len(said) else {}
        return blamed

    def _ask(self, plan: Plan, part: Part, fault: Fault, doubt: int) -> tuple[Annotation, ...]:
        if entry(fault.code).needs_other_code:
            return ()
        failing = Trial((Verdict(SCRIPTS, False, fault.failure),), part.compiled)
        proposal = next(islice(Cautious(self.trials).propose(Step(plan, failing)), doubt, None), None)
        return proposal.changes if proposal else ()

    def _try(self, plan: Plan) -> Blamed:
        step = Step(plan, accept_undecided(self.trials.try_whole(plan)))
        return Blamed(step, ()) if step.trial.ok else self.blame(step)

    def blame(self, step: Step) -> Blamed:
        """The step with the blame for each target: its trial ended at the first target that fails."""
        runs, candidate = self.trials.runs, self.trials.render(step.plan)
        each = [step.trial] if len(runs) == 1 else [tasks.attempt(run.session, candidate) for run in runs]
        return Blamed(step, find_culprits(self.trials, step.plan, each))


def _repairable(blame: Blame) -> Iterator[str]:
    """The unsound parts that annotations alone may mend, the deepest first; one of several alike of one class."""
    hopeful: set[str] = set()
    alike: set[tuple[str, tuple[Fault, ...], int]] = set()
    for part in reversed(blame.parts):
        key = (part.name, part.faults, len(part.blamed))
        needs_other_code = any(entry(fault.code).needs_other_code for fault in part.faults)
        if not part.is_sound and not needs_other_code and hopeful.issuperset(part.blamed):
            hopeful.add(part.path)
            if part.path and key not in alike:
                alike.add(key)
                yield part.path


@dataclass(frozen=True)
class Cautious(Repairing):
    """Without returns that are a Union: a part alone does not show how callers use one."""

    def propose(self, step: Step) -> Iterator[Proposal]:
        return (proposal for proposal in super().propose(step) if not any(map(is_loose, proposal.changes)))


def is_loose(annotation: Annotation) -> bool:
    """Whether an annotation lets a function return values of several types, which nobody asked for."""
    is_repaired_return = annotation.slot.kind is SlotKind.RETURN and annotation.origin is Origin.REPAIR
    return is_repaired_return and annotation.type.name == "Union"


@dataclass(frozen=True)
class ModuleAlone(Cautious):
    """One module in a target, compiled alone and compared on the calls recorded for it."""

    run: TargetRun
    path: str

    def try_plan(self, plan: Plan) -> Trial:
        return tasks.attempt_module(self.run.session, self.trials.render(plan), self.path)


def _repair(module: ModuleAlone, plan: Plan) -> Plan:
    """The plan with which the module works, without new annotations that it does not need; or the same plan."""
    step = Search(module, module.trials.budget.part("part")).run(plan)
    if not accept_undecided(step.trial).ok:
        return plan
    repaired = step.plan
    for annotation in repaired.changes_from(plan):
        fewer = repaired.without([annotation.slot])
        if annotation.slot.kind is not SlotKind.PARAMETER and accept_undecided(module.try_plan(fewer)).ok:
            repaired = fewer
    return repaired
