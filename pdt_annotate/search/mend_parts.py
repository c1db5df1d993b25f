"""Mending the parts of a target one by one, where its whole cannot be: each by itself, on the calls recorded for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pdt_annotate.processes.tasks import TargetRun, attempt_module
from pdt_annotate.search.best_first import Search, Step
from pdt_annotate.search.find_blame import blame_failing
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.problems import Mending
from pdt_annotate.search.trials import Trials
from pdt_annotate.values.slots import SlotKind
from pdt_annotate.values.verdicts import Blame, Fault, Trial
from pdt_annotate.verify.judging import accept_alike

TRIALS = 20
"""For one part."""


def mend_parts(trials: Trials, step: Step) -> tuple[Step, tuple[Blame, ...]]:
    """The step with what repair finds for its unsound parts, from the deepest up, and the whole tried again.

    The blame is that of the step, where nothing could be mended; else it is to be found anew.
    """
    plan = step.plan
    blames = blame_failing(trials, step.plan, step.trial)
    for run, blame in zip(trials.runs, blames, strict=False):
        for path in _different(blame):
            plan = _mend(ModuleAlone(trials, run, path), plan)
    if plan == step.plan:
        return step, blames
    return replace(step, plan=plan, trial=accept_alike(trials.try_whole(plan))), ()


def _different(blame: Blame) -> Iterator[str]:
    """The unsound parts, the deepest first; of those of one class with the same faults, one."""
    alike: set[tuple[str, tuple[Fault, ...], int]] = set()
    for part in reversed(blame.parts):
        key = (part.name, part.faults, len(part.blamed))
        if part.path and not part.is_sound and key not in alike:
            alike.add(key)
            yield part.path


@dataclass(frozen=True)
class ModuleAlone(Mending):
    """One module in a target, compiled by itself and compared on the calls recorded for it."""

    run: TargetRun
    path: str

    def try_plan(self, plan: Plan) -> Trial:
        return attempt_module(self.run.session, self.trials.render(plan), self.path)


def _mend(module: ModuleAlone, plan: Plan) -> Plan:
    """The plan with which the module works, without what it does not need of the new; or the same plan."""
    step = Search(module, TRIALS, module.trials.budget).run(plan)
    if not accept_alike(step.trial).ok:
        return plan
    mended = step.plan
    for annotation in mended.changes_from(plan):
        fewer = mended.without([annotation.slot])
        if annotation.slot.kind is not SlotKind.PARAMETER and accept_alike(module.try_plan(fewer)).ok:
            mended = fewer
    return mended
