"""Limited discrepancy search: try a plan, read the failure, try the changes that are proposed, the nearest first.

Paths are followed in the order of their discrepancy: how often they leave the first proposal. Doubtful changes, and
returns to a failing place that the path had left, count as well. The search is bounded in trials and time, and
deterministic until time runs out. The problem decides how a plan is tried and where proposals come from.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

from pdt_annotate.search.plan import Plan
from pdt_annotate.search.repair import Proposal
from pdt_annotate.values.budget import UNBOUNDED, Budget
from pdt_annotate.values.slots import NO_PLACE, Owner, Place, Slot
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure, Trial

UNRELATED = 4


@dataclass(frozen=True)
class CutOff:
    """A search ran out of time: the proposal or step that came next; without one, it was dropping annotations."""

    proposal: Proposal | None = None
    next_step: str = ""


@dataclass(frozen=True)
class Step:
    """A plan that was tried, its trial, the failing steps before it on its path, and whether time ran out."""

    plan: Plan
    trial: Trial
    passed: "tuple[Step, ...]" = ()
    cut_off: CutOff | None = None

    @property
    def progress(self) -> tuple[int, int, int, int]:
        """Whether it compiled, the numbers of verdicts that held, of functions read, and of failing places passed.

        A wrong annotation may lead from one failing place to the next, so the functions read count first. It compares
        only plans for the same sources.
        """
        verdicts, read = self.trial.verdicts, set(self.trial.compiled)
        places = {step.place for step in self.passed}
        return verdicts[0].ok, sum(verdict.ok for verdict in verdicts), len(read), len(places)

    @property
    def place(self) -> Place:
        return self.trial.failure.place if self.trial.failure else NO_PLACE

    @property
    def message(self) -> str:
        return self.trial.failure.message if self.trial.failure else ""


class Problem(Protocol):
    """A problem that a plan is searched for."""

    def try_plan(self, plan: Plan) -> Trial:
        """Compile and run a plan."""

    def grow(self, plan: Plan, trial: Trial) -> Plan:
        """The plan with annotations for the functions that its trial found in reach, which only the compiler enters."""

    def propose(self, step: Step) -> Iterator[Proposal]:
        """Changes that may mend the failure of a step, the most trusted first."""


@dataclass
class Branch:
    """A step whose failure is being mended: the proposals that are left, and the discrepancy of taking the next."""

    step: Step
    discrepancy: int
    proposals: Iterator[Proposal]
    touched: set[Owner] = field(default_factory=set)

    def discrepancy_after(self, focus: "Branch") -> int:
        """The discrepancy of returning to it when `focus` is stuck: more if the two have no change in common."""
        is_related = self is focus or not focus.touched or self.touched & focus.touched
        return self.discrepancy + (0 if is_related else UNRELATED)


@dataclass
class Search:
    """One search, which makes no more trials than its budget has steps, and only the first when that is spent."""

    problem: Problem
    budget: Budget = UNBOUNDED
    patience: int = sys.maxsize  # the most plans in succession that come no further
    tried: int = 0
    _met: set[tuple[str, Place, str]] = field(default_factory=set)
    _tried: set[frozenset[tuple[Slot, TypeExpr, bool]]] = field(default_factory=set)

    def run(self, plan: Plan) -> Step:
        """The first step that verifies; otherwise the one that came furthest."""
        self._note_plan(plan)
        step = best = self._try(plan, ())
        branches: list[Branch] = []
        if not step.trial.ok and self._is_new(step.trial.failure):
            branches.append(Branch(step, 0, self.problem.propose(step)))
        furthest = self.tried
        while branches and self.tried < min(self.budget.steps, furthest + self.patience):
            # Of equal discrepancy, take the latest: finish one path before another begins.
            branch = min(reversed(branches), key=lambda branch: branch.discrepancy_after(branches[-1]))
            proposal = next(branch.proposals, None)
            if proposal is None:
                branches.remove(branch)
                continue
            if self.budget.is_spent:
                return replace(best, cut_off=CutOff(proposal))
            branch.touched.update(change.slot.owner for change in proposal.changes)
            discrepancy, branch.discrepancy = branch.discrepancy + proposal.doubt, branch.discrepancy + 1
            plan = branch.step.plan.with_(proposal.changes)
            if not self._note_plan(plan):
                self.tried += 1
                continue
            step = self._try(plan, (*branch.step.passed, branch.step))
            if step.trial.ok:
                return step
            if self._is_new(step.trial.failure):
                returns = any(step.place.whole_line == passed.place.whole_line for passed in branch.step.passed)
                branches.append(Branch(step, discrepancy + returns, self.problem.propose(step)))
                if step.progress > best.progress:
                    best, furthest = step, self.tried
        return best

    def _try(self, plan: Plan, passed: tuple[Step, ...]) -> Step:
        """Try a plan; as long as the trial reaches functions that the plan does not know, add them and try again."""
        while True:
            self.tried += 1
            trial = self.problem.try_plan(plan)
            grown = self.problem.grow(plan, trial)
            if trial.ok or grown == plan or self.tried >= self.budget.steps or self.budget.is_spent:
                return Step(plan, trial, passed)
            plan = grown

    def _note_plan(self, plan: Plan) -> bool:
        """Whether the search meets the types of a plan for the first time. Otherwise it counts as tried again."""
        before = len(self._tried)
        self._tried.add(frozenset((slot, each.type, each.final) for slot, each in plan.annotations.items()))
        return len(self._tried) > before

    def _is_new(self, failure: Failure | None) -> bool:
        """Whether a failure is new. A change that only leads back to an old failure is no step."""
        before = len(self._met)
        if failure is not None:
            # The whole text also marks the column: two faults of one line may have the same message.
            self._met.add((failure.text or failure.message, failure.place, failure.call))
        return len(self._met) > before
