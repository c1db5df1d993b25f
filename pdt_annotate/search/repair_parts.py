"""Repair annotations if the whole fails, so that nobody is blamed for a fault that annotations end.

Parts are repaired one by one, each alone, on the calls recorded for it. If a part has other faults as well, the blame
that is left judges repair's proposals for each fault: a change is good if it ends a fault and causes none.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from pdt_annotate.findings.catalogue import entry
from pdt_annotate.processes.tasks import TargetRun, attempt_module
from pdt_annotate.search.best_first import Search, Step
from pdt_annotate.search.find_blame import blame_failing
from pdt_annotate.search.plan import Plan, Trials
from pdt_annotate.search.problems import Repairing
from pdt_annotate.search.repair import Proposal
from pdt_annotate.values.budget import Budget
from pdt_annotate.values.slots import Annotation, Origin, SlotKind
from pdt_annotate.values.verdicts import SCRIPTS, Blame, Fault, Part, Trial, Verdict
from pdt_annotate.verify.text_judges import accept_undecided


def repair_parts(trials: Trials, step: Step) -> tuple[Step, tuple[Blame, ...]]:
    """The step with repair's annotations for its unsound parts and their faults, and the blame that is left."""
    repair = PartsRepair(trials, trials.budget.part("parts"))
    return repair.run(Blamed(step, blame_failing(trials, step.plan, step.trial)))


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
        cut_off = blamed.step.cut_off
        # Repair each unsound part whose faults may be mended alone, the deepest first.
        plan = blamed.step.plan
        for run, blame in zip(self.trials.runs, blamed.blames, strict=False):
            for path in _repairable(blame):
                if not self.budget.is_spent:
                    plan = _repair(ModuleAlone(self.trials, run, path), plan)
        if plan != blamed.step.plan:
            blamed = self._blame(plan)
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
        guesses = [a for a in plan.annotations.values() if a.origin is Origin.REPAIR]
        dropped = [
            a.slot
            for a in guesses
            if a.slot.owner in owners or (a.slot.owner.file, a.slot.owner.qualname) in classes or is_loose(a)
        ]
        if not dropped or blamed.step.trial.compiles or self.budget.is_spent:
            return blamed
        without = self._blame(plan.without(dropped))
        more = len(without.faults) > len(blamed.faults) or without.hides > blamed.hides
        return blamed if more else without

    def _repair_faults(self, blamed: Blamed, doubt: int) -> Blamed:
        """With proposal number `doubt` for all faults at once; otherwise with the proposals that ended their fault."""
        asked = ((key, self._ask(blamed.step.plan, *each, doubt)) for key, each in blamed.faults.items())
        said = {key: changes for key, changes in asked if changes}
        while said and not self.budget.is_spent:
            after = self._blame(blamed.step.plan.with_(change for changes in said.values() for change in changes))
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

    def _blame(self, plan: Plan) -> Blamed:
        step = Step(plan, accept_undecided(self.trials.try_whole(plan)))
        return Blamed(step, () if step.trial.ok else blame_failing(self.trials, plan, step.trial))


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
        return attempt_module(self.run.session, self.trials.render(plan), self.path)


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
