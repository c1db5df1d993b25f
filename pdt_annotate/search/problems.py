"""The problems to search a plan for: the whole, or one function alone; and the proposals after a failure.

The compiler stops at its first failure, and a whole target takes seconds to compile and run. So the failing function
gets annotations alone before the whole is tried again, and with it the parts that the compiler had not reached.
Nothing here makes mends, which change code.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.search import repair
from pdt_annotate.search.best_first import Search, Step
from pdt_annotate.search.plan import Plan, Trials
from pdt_annotate.search.prune import fails_alone, keep_read, prune
from pdt_annotate.search.repair.situation import return_slot
from pdt_annotate.settings.options import Returns
from pdt_annotate.values.slots import Annotation, Origin, Owner, SlotKind
from pdt_annotate.values.verdicts import Trial
from pdt_annotate.verify.text_judges import accept_undecided


@dataclass(frozen=True)
class Repairing:
    """A problem whose failures the proposals of repair answer; subclasses decide how to try a plan."""

    trials: Trials

    def grow(self, plan: Plan, trial: Trial) -> Plan:
        """The plan with the functions that the trial reached, and the returns of functions that it did not read."""
        evidence = self.trials.evidence
        reached = list(evidence.choose_in_reach(trial.compiled))
        if self.trials.returns is not Returns.NONE:
            reached += evidence.choose_returns(owner for owner in trial.ignored if owner not in trial.compiled)
        return plan.with_(annotation for annotation in reached if plan.get(annotation.slot) is None)

    def propose(self, step: Step) -> Iterator[repair.Proposal]:
        """The proposals of repair for the failure, without returns if none may be annotated."""
        failure, evidence = step.trial.failure, self.trials.evidence
        if failure is None:
            return
        evidence.learn_classes(failure.message)
        for proposal in repair.propose(repair.Situation(failure, step.plan, evidence, step.trial.compiled)):
            kinds = {annotation.slot.kind for annotation in proposal.changes}
            if self.trials.returns is Returns.NONE and kinds == {SlotKind.RETURN}:
                continue
            # If there is no time to rebuild the targets, the proposal is only shown.
            is_ready = not proposal.rebuilds or self.trials.budget.is_spent
            if is_ready or self.trials.build_anew(step.plan.with_(proposal.changes)):
                yield proposal


@dataclass(frozen=True)
class WholeProblem(Repairing):
    def try_plan(self, plan: Plan) -> Trial:
        return self.trials.try_whole(plan)

    def propose(self, step: Step) -> Iterator[repair.Proposal]:
        """Repair the failing parts alone, all that one round shows; then the proposals of repair for the whole."""
        if not self.trials.budget.is_spent:  # otherwise the proposals are only shown
            repaired = repair_alone(self.trials, step)
            plan = step.plan.with_(repaired)
            for trial in self.trials.failing_parts(step.plan, step.trial):
                plan = plan.with_(repair_alone(self.trials, Step(plan, trial)))
            together = dict.fromkeys((plan.changes_from(step.plan), repaired))
            yield from map(repair.Proposal, filter(None, together))
        yield from super().propose(step)


@dataclass(frozen=True)
class FunctionAlone(Repairing):
    """One function, compiled alone in the session of one target, by its index; the first step is known."""

    index: int
    owner: Owner
    first: Step

    def try_plan(self, plan: Plan) -> Trial:
        if plan is self.first.plan:
            return self.first.trial
        return self.trials.try_function(self.trials.runs[self.index], plan, self.owner) or self.first.trial


def repair_alone(trials: Trials, step: Step) -> tuple[Annotation, ...]:
    """The changes with which the failing function compiles alone; empty if it needs no changes, or never compiles."""
    failure = step.trial.failure
    function = trials.evidence.project.function_at(failure.place.file, failure.place.line) if failure else None
    if function is None:
        return ()
    for index, run in enumerate(trials.runs):
        first = trials.try_function(run, step.plan, function.owner)
        if first is not None:
            alone = FunctionAlone(trials, index, function.owner, Step(step.plan, first))
            found = Search(alone, trials.budget.part("function")).run(step.plan)
            return found.plan.changes_from(step.plan) if found.trial.ok else ()
    return ()


def find_any_plan(trials: Trials) -> Step:
    """Look for a plan, perhaps with unneeded annotations, that verifies every target; otherwise the furthest one."""
    # Begin with the types that the examples showed.
    evidence, whole = trials.evidence, WholeProblem(trials)
    plan = Plan().with_(evidence.choose_in_reach(evidence.likely_compiled))

    # Targets that make code from their annotations are rebuilt with the plan, and again with the plan that is found.
    if trials.makes_code:
        trials.build_anew(plan)
    step = Search(whole, trials.budget).run(plan)
    while not step.cut_off and trials.is_in_made_code(step.trial) and trials.build_anew(step.plan):
        step = Search(whole, trials.budget).run(step.plan)

    # No annotation decides the class of a container in the answers.
    return replace(step, trial=accept_undecided(step.trial))


def trim(trials: Trials, step: Step) -> Step:
    """The step, if it verifies, with only the annotations that it needs and that the options ask for."""
    if not step.trial.ok:
        return step

    # Drop annotations that the compiler does not read or need, then add the annotations that the options ask for.
    step = replace(step, plan=keep_read(step, trials.evidence))
    step = prune(step, trials.try_whole, fails_alone(trials, step.plan), trials.budget)
    return add_returns(trials, step) if trials.returns is Returns.ALL else step


def add_returns(trials: Trials, step: Step) -> Step:
    """The step with the return types that the compiler inferred; without them, if it does not verify with them."""
    found: list[Annotation] = []
    for owner, text in sorted(trials.return_types(step.plan).items()):
        function, type_ = trials.evidence.project.function(owner), parse_type(text)
        if function is None or function.returns or function.settled or type_ is None:
            continue
        slot = return_slot(function)
        if step.plan.get(slot) is None:
            seen = tuple(trials.evidence.seen.get(slot, ()))
            found.append(Annotation(slot, type_, Origin.SOURCE, ("compiled schema",), seen))
    more = step.plan.with_(found)
    trial = trials.try_whole(more)
    return replace(step, plan=more, trial=trial) if trial.ok else step
