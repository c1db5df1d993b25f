"""The search for annotations that verify: try a plan, read the failure, try the changes that repair proposes.

Best first: a change that brings the compiler further is followed at once; one that only moves the failure is kept for
when nothing better is left. Bounded in trials; deterministic.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pdt_annotate.ir import Failure, SlotKind, Trial
from pdt_annotate.plan import Plan
from pdt_annotate.repair import Proposal

TRIALS = 80


@dataclass(frozen=True)
class Step:
    """A plan that was tried, with its trial."""

    plan: Plan
    trial: Trial

    @property
    def progress(self) -> tuple[int, int, int, int]:
        """How far it came: compiled at all, verdicts that held, functions that the compiler read, line in the last."""
        verdicts, failure = self.trial.verdicts, self.trial.failure
        held = sum(verdict.ok for verdict in verdicts)
        return verdicts[0].ok, held, len(self.trial.compiled), failure.line if failure else 0


@dataclass
class Search:
    """One search.

    Args:
        try_plan: compiles and runs a plan.
        grow: adds to a plan what its trial brought in reach: functions that only the compiler enters.
        propose: changes that may mend the failure of a step.
        limit: how many trials may be made.
    """

    try_plan: Callable[[Plan], Trial]
    grow: Callable[[Plan, Trial], Plan]
    propose: Callable[[Step], Iterator[Proposal]]
    limit: int = TRIALS
    trials: int = 0
    _met: set[tuple[str, str, int, str]] = field(default_factory=set)

    def run(self, plan: Plan) -> Step:
        """The first step that verifies; else the one that came furthest."""
        step = best = self._try(plan)
        order = itertools.count()
        open_steps: list[tuple[tuple[int, ...], int, Step, Iterator[Proposal]]] = []

        def keep(step: Step, proposals: Iterator[Proposal]) -> None:
            heapq.heappush(open_steps, (tuple(-part for part in step.progress), next(order), step, proposals))

        if not step.trial.ok:
            keep(step, self.propose(step))
        while not step.trial.ok and open_steps and self.trials < self.limit:
            _, _, parent, proposals = heapq.heappop(open_steps)
            proposal = next(proposals, None)
            if proposal is None:
                continue
            keep(parent, proposals)
            step = self._try(parent.plan.with_(proposal.changes))
            if step.trial.ok:
                return step
            if self._is_new(step.trial.failure):
                keep(step, self.propose(step))
                best = max(best, step, key=lambda s: s.progress)
        return step if step.trial.ok else best

    def prune(self, step: Step) -> Step:
        """Drop in turn each annotation that is no parameter's, and keep those without which the plan fails."""
        for slot in reversed(step.plan.slots_of(SlotKind.RETURN, SlotKind.LOCAL, SlotKind.ATTRIBUTE)):
            fewer = step.plan.without([slot])
            trial = self.try_plan(fewer)
            if _is_as_good(trial, step.trial):
                step = Step(fewer, trial)
        return step

    def _try(self, plan: Plan) -> Step:
        """Try a plan; as long as the trial reaches functions that the plan does not know, add them and try again."""
        while True:
            self.trials += 1
            trial = self.try_plan(plan)
            grown = self.grow(plan, trial)
            if trial.ok or grown == plan or self.trials >= self.limit:
                return Step(plan, trial)
            plan = grown

    def _is_new(self, failure: Failure | None) -> bool:
        """Whether a failure is met for the first time; a change that only leads back to an old one is no step."""
        if failure is None:
            return False
        identity = (failure.message, failure.file, failure.line, failure.call)
        new = identity not in self._met
        self._met.add(identity)
        return new


def _is_as_good(trial: Trial, before: Trial) -> bool:
    """Whether a trial is as good as one that was accepted, perhaps with the same reservations."""
    return trial.ok or [v.failure for v in trial.verdicts] == [v.failure for v in before.verdicts]
