"""Dropping annotations: those that a plan verifies without, and those of functions that nothing reached."""

from __future__ import annotations

import functools
from collections.abc import Callable

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.processes.tasks import Run
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.trials import Trials
from pdt_annotate.values.slots import Owner, Slot, SlotKind
from pdt_annotate.values.verdicts import Trial

TryPlan = Callable[[Plan], Trial]
IsInVain = Callable[[Plan, Slot], bool]
"""Whether a plan that lacks the slot is known to fail before it is tried."""


def prune(step: Step, try_plan: TryPlan, is_in_vain: IsInVain = lambda plan, slot: False) -> Step:
    """Of a plan that verified, drop in turn each annotation that is no parameter's and that it verifies without."""
    for slot in reversed(step.plan.slots_of(SlotKind.RETURN, SlotKind.LOCAL, SlotKind.ATTRIBUTE)):
        fewer = step.plan.without([slot])
        if is_in_vain(fewer, slot):
            continue
        trial = try_plan(fewer)
        if _is_as_good(trial, step.trial):
            step = Step(fewer, trial)
    return step


def _is_as_good(trial: Trial, before: Trial) -> bool:
    """Whether a trial is as good as one that was accepted, perhaps with the same reservations."""
    return trial.ok or [v.failure for v in trial.verdicts] == [v.failure for v in before.verdicts]


def fails_alone(trials: Trials, plan: Plan) -> IsInVain:
    """Whether the function that a slot belongs to, which compiles alone with the plan, does not without the slot.

    Without the return of a function that runs in Python it fails as soon as an example comes by.
    """

    @functools.cache
    def compiles(run: Run, owner: Owner) -> bool:
        trial = trials.try_function(run, plan, owner)
        return trial is not None and trial.ok

    def fails(run: Run, fewer: Plan, owner: Owner) -> bool:
        trial = trials.try_function(run, fewer, owner)
        return trial is not None and not trial.ok

    def is_in_vain(fewer: Plan, slot: Slot) -> bool:
        owner = slot.owner
        if slot.kind is SlotKind.RETURN and trials.evidence.runs_in_python(owner):
            return True
        is_attribute = slot.kind is SlotKind.ATTRIBUTE
        return not is_attribute and any(compiles(run, owner) and fails(run, fewer, owner) for run in trials.runs)

    return is_in_vain


def keep_reached(step: Step, evidence: Evidence) -> Plan:
    """The plan without functions that were neither entered nor compiled: their defaults prove nothing.

    Of third-party functions those remain that the compiler read.
    """
    read = {*step.trial.compiled, *step.trial.ignored}
    wanted = read.union(owner for owner in evidence.reached if evidence.project.is_own(owner.file))
    return step.plan.only(lambda slot: slot.owner in wanted or slot.kind is SlotKind.ATTRIBUTE)
