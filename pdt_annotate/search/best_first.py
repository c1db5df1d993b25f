"""The search for annotations that verify: try a plan, read the failure, try the changes that repair proposes.

Limited discrepancy: paths are followed in the order of how often they leave repair's first choice, doubtful changes and
returns to a place that was left behind counting as well. Bounded in trials; deterministic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from pdt_annotate.search.plan import Plan
from pdt_annotate.search.repair import Proposal
from pdt_annotate.values.slots import Owner, Slot, SlotKind
from pdt_annotate.values.verdicts import Failure, Trial

TRIALS = 40
UNRELATED = 4

Place = tuple[str, int]


@dataclass(frozen=True)
class Step:
    """A plan that was tried, with its trial, and the places of the failures that led to it."""

    plan: Plan
    trial: Trial
    places: tuple[Place, ...] = ()

    @property
    def progress(self) -> tuple[int, int, int]:
        """How far it came: compiled at all, verdicts that held, faults that were left behind."""
        verdicts = self.trial.verdicts
        return verdicts[0].ok, sum(verdict.ok for verdict in verdicts), len(set(self.places))

    @property
    def place(self) -> Place:
        failure = self.trial.failure
        return (failure.file, failure.line) if failure else ("", 0)


@dataclass
class Branch:
    """A step whose failure is being mended: the proposals that are left, and what it costs to take the next."""

    step: Step
    cost: int
    proposals: Iterator[Proposal]
    touched: set[Owner] = field(default_factory=set)

    def cost_after(self, focus: Branch) -> int:
        """The cost of going back to it when `focus` is stuck: more where the two change nothing in common."""
        related = self is focus or not focus.touched or self.touched & focus.touched
        return self.cost if related else self.cost + UNRELATED


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
        step = best = self._try(plan, ())
        branches: list[Branch] = []
        if not step.trial.ok and self._is_new(step.trial.failure):
            branches.append(Branch(step, 0, self.propose(step)))
        while branches and self.trials < self.limit:
            branch = self._cheapest(branches)
            proposal = next(branch.proposals, None)
            if proposal is None:
                branches.remove(branch)
                continue
            branch.touched.update(change.slot.owner for change in proposal.changes)
            step = self._try(branch.step.plan.with_(proposal.changes), (*branch.step.places, branch.step.place))
            if step.trial.ok:
                return step
            if self._is_new(step.trial.failure):
                cost = branch.cost + proposal.doubt + (step.place in branch.step.places)
                branches.append(Branch(step, cost, self.propose(step)))
                best = max(best, step, key=lambda s: s.progress)
            branch.cost += 1
        return step if step.trial.ok else best

    def _cheapest(self, branches: Sequence[Branch]) -> Branch:
        """Of equal cost the latest: a path is followed to its end before another is begun."""
        focus = branches[-1]
        return min(reversed(branches), key=lambda branch: branch.cost_after(focus))

    def prune(self, step: Step, fails_early: Callable[[Plan, Slot], bool] = lambda plan, slot: False) -> Step:
        """Drop in turn each annotation that is no parameter's, and keep those without which the plan fails.

        Args:
            step: the plan that verified.
            fails_early: whether a plan that lacks the slot is known to fail before the whole is tried.
        """
        for slot in reversed(step.plan.slots_of(SlotKind.RETURN, SlotKind.LOCAL, SlotKind.ATTRIBUTE)):
            fewer = step.plan.without([slot])
            if fails_early(fewer, slot):
                continue
            trial = self.try_plan(fewer)
            if _is_as_good(trial, step.trial):
                step = Step(fewer, trial)
        return step

    def _try(self, plan: Plan, places: tuple[Place, ...]) -> Step:
        """Try a plan; as long as the trial reaches functions that the plan does not know, add them and try again."""
        while True:
            self.trials += 1
            trial = self.try_plan(plan)
            grown = self.grow(plan, trial)
            if trial.ok or grown == plan or self.trials >= self.limit:
                return Step(plan, trial, places)
            plan = grown

    def _is_new(self, failure: Failure | None) -> bool:
        """Whether a failure is met for the first time; a change that only leads back to an old one is no step."""
        if failure is None:
            return False
        # The whole text marks the column as well: two faults of one line may have one message.
        identity = (failure.text or failure.message, failure.file, failure.line, failure.call)
        new = identity not in self._met
        self._met.add(identity)
        return new


def _is_as_good(trial: Trial, before: Trial) -> bool:
    """Whether a trial is as good as one that was accepted, perhaps with the same reservations."""
    return trial.ok or [v.failure for v in trial.verdicts] == [v.failure for v in before.verdicts]
