"""The search for annotations that verify: try a plan, read the failure, try the changes that repair proposes.

Depth first, in the order of repair's trust, bounded in attempts; deterministic. A change is kept when it moves the
failure on; where nothing moves it, the search goes back to the nearest choice that is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from pdt_annotate.ir import Failure, SlotKind, Trial
from pdt_annotate.plan import Plan
from pdt_annotate.repair import Proposal

ATTEMPTS = 80


@dataclass(frozen=True)
class Step:
    """A plan that was tried, with its trial."""

    plan: Plan
    trial: Trial

    @property
    def progress(self) -> tuple[int, int, int]:
        """How far it came: compiled at all, verdicts that held, functions that the compiler read."""
        verdicts = self.trial.verdicts
        return verdicts[0].ok, sum(verdict.ok for verdict in verdicts), len(self.trial.compiled)


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
    limit: int = ATTEMPTS
    attempts: int = 0
    _met: set[tuple[str, str, int, str]] = field(default_factory=set)

    def run(self, plan: Plan) -> Step:
        """The first step that verifies; else the one that came furthest."""
        step: Step | None = self._try(plan)
        assert step is not None
        best = step
        branches: list[tuple[Step, Iterator[Proposal]]] = []
        while step is not None and not step.trial.ok:
            best = max(best, step, key=lambda s: s.progress)
            self._remember(step.trial.failure)
            branches.append((step, self.propose(step)))
            step = self._next(branches)
        return step or best

    def prune(self, step: Step) -> Step:
        """Drop in turn each annotation that is no parameter's, and keep those without which the plan fails."""
        for slot in reversed(step.plan.slots_of(SlotKind.RETURN, SlotKind.LOCAL, SlotKind.ATTRIBUTE)):
            fewer = step.plan.without([slot])
            trial = self.try_plan(fewer)
            if _same_verdicts(trial, step.trial):
                step = Step(fewer, trial)
        return step

    def _next(self, branches: list[tuple[Step, Iterator[Proposal]]]) -> Step | None:
        """Take the next proposal that moves the failure; go back over branches that have none left."""
        while branches:
            step, proposals = branches[-1]
            for proposal in proposals:
                if self.attempts >= self.limit:
                    return None
                changed = self._try(step.plan.with_(proposal.changes))
                if changed.trial.ok or self._is_new(changed.trial.failure):
                    return changed
            branches.pop()
        return None

    def _try(self, plan: Plan) -> Step:
        """Try a plan; as long as the trial reaches functions that the plan does not know, add them and try again."""
        while True:
            self.attempts += 1
            trial = self.try_plan(plan)
            grown = self.grow(plan, trial)
            if trial.ok or grown == plan or self.attempts >= self.limit:
                return Step(plan, trial)
            plan = grown

    def _remember(self, failure: Failure | None) -> None:
        if failure is not None:
            self._met.add(_identity(failure))

    def _is_new(self, failure: Failure | None) -> bool:
        return failure is not None and _identity(failure) not in self._met


def _same_verdicts(trial: Trial, before: Trial) -> bool:
    """Whether a trial is as good as one that was accepted, perhaps with the same reservations."""
    return trial.ok or [v.failure for v in trial.verdicts] == [v.failure for v in before.verdicts]


def _identity(failure: Failure) -> tuple[str, str, int, str]:
    return failure.message, failure.file, failure.line, failure.call
