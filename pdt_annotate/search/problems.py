"""The problems to search a plan for, the whole or one function alone; and the end of a search, which drops annotations.

The compiler stops at its first failure, and a whole target takes seconds to compile and run. So the failing function
gets annotations alone before the whole is tried again, and with it the parts that the compiler had not reached.
Nothing here makes mends, which change code.
"""

import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.processes.tasks import TargetRun
from pdt_annotate.search import repair
from pdt_annotate.search.best_first import CutOff, Search, Step
from pdt_annotate.search.plan import Plan, Trials
from pdt_annotate.settings.options import Returns, Scope
from pdt_annotate.source.definitions import Function
from pdt_annotate.values.budget import UNBOUNDED, Budget
from pdt_annotate.values.slots import Annotation, Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import TENSOR
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
        if self.trials.options.returns is not Returns.NONE:
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
            if self.trials.options.returns is Returns.NONE and kinds == {SlotKind.RETURN}:
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
        trials = self.trials
        if not trials.budget.is_spent:  # otherwise the proposals are only shown
            repaired = repair_alone(trials, step)
            plan = alone = step.plan.with_(repaired)
            for trial in () if trials.parts_are_hopeless else trials.failing_parts(step.plan, step.trial):
                plan = plan.with_(repair_alone(trials, Step(plan, trial)))
            trials.parts_are_hopeless = plan == alone
            together = dict.fromkeys((plan.changes_from(step.plan), repaired))
            yield from map(repair.Proposal, filter(None, together))
        # A proposal that leaves the failure of the function alone unchanged cannot help the whole either.
        yield from (p for p in super().propose(step) if not self._is_in_vain(step, p))

    def _is_in_vain(self, step: Step, proposal: repair.Proposal) -> bool:
        """Whether the failing function was compiled alone with a proposal, and had the same failure."""
        function, plan = function_of(self.trials, step), step.plan.with_(proposal.changes)
        known = (self.trials.known_alone(run, plan, function.owner) for run in self.trials.runs if function)
        failures = (trial.failure for trial in known if trial and trial.failure)
        return any((f.place, f.message) == (step.place, step.message) for f in failures)


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


def function_of(trials: Trials, step: Step) -> Function | None:
    """The function of the project in which a step fails."""
    return trials.evidence.project.function_at(step.place.file, step.place.line)


def repair_alone(trials: Trials, step: Step) -> tuple[Annotation, ...]:
    """The changes with which the failing function compiles alone; empty if it needs no changes, or never compiles."""
    function = function_of(trials, step)
    if function is None:
        return ()
    for index, run in enumerate(trials.runs):
        first = trials.try_function(run, step.plan, function.owner)
        if first is not None:
            alone = FunctionAlone(trials, index, function.owner, Step(step.plan, first))
            found = Search(alone, trials.budget.part("function")).run(step.plan)
            return found.plan.changes_from(step.plan) if found.trial.ok else ()
    return ()


def find_any_plan(trials: Trials, patience: int = sys.maxsize) -> Step:
    """Look for a plan, perhaps with unneeded annotations, that verifies every target; otherwise the furthest one.

    The search ends after so many plans in succession that come no further.
    """
    # Begin with the types that the examples showed.
    evidence, whole = trials.evidence, WholeProblem(trials)
    plan = Plan().with_(evidence.choose_in_reach(evidence.likely_compiled))

    # Targets that make code from their annotations are rebuilt with the plan, and again with the plan that is found.
    if trials.makes_code:
        trials.build_anew(plan)
    step = Search(whole, trials.budget, patience).run(plan)
    while not step.cut_off and trials.is_in_made_code(step.trial) and trials.build_anew(step.plan):
        step = Search(whole, trials.budget, patience).run(step.plan)

    # No annotation decides the class of a container in the answers.
    return replace(step, trial=accept_undecided(step.trial))


def trim(trials: Trials, step: Step) -> Step:
    """The step, if it verifies, with only the annotations that it needs and that the options ask for."""
    if not step.trial.ok:
        return step

    # Drop annotations that the compiler does not read or need, then add the annotations that the options ask for.
    step = replace(step, plan=keep_read(step, trials.evidence))
    step = prune(step, trials.try_whole, fails_alone(trials, step.plan), trials.budget)
    return add_returns(trials, step) if trials.options.returns is Returns.ALL else step


def add_returns(trials: Trials, step: Step) -> Step:
    """The step with the return types that the compiler inferred; without them, if it does not verify with them."""
    found: list[Annotation] = []
    for owner, text in sorted(trials.return_types(step.plan).items()):
        function, type_ = trials.evidence.project.function(owner), parse_type(text)
        if function is None or function.returns or function.settled or type_ is None:
            continue
        slot = function.owner.returned
        if step.plan.get(slot) is None:
            seen = tuple(trials.evidence.seen.get(slot, ()))
            found.append(Annotation(slot, type_, Origin.SOURCE, ("compiled schema",), seen))
    more = step.plan.with_(found)
    trial = trials.try_whole(more)
    return replace(step, plan=more, trial=trial) if trial.ok else step


IsInVain = Callable[[Plan, Slot], bool]  # whether a plan that lacks the slot is known to fail before it is tried


def prune(
    step: Step, try_plan: Callable[[Plan], Trial], is_in_vain: IsInVain | None = None, budget: Budget = UNBOUNDED
) -> Step:
    """Drop in turn the annotations that no example showed and without which a verified plan still verifies."""
    for annotation in reversed(step.plan.in_order()):
        slot = annotation.slot
        # Of parameters only guesses; not for a default of None, since a Tensor would compile and change the results.
        is_guess = annotation.origin is Origin.GUESS and annotation.type.name != "Optional"
        if slot.kind is SlotKind.PARAMETER and not is_guess:
            continue
        if budget.is_spent:
            return replace(step, cut_off=CutOff())
        fewer = step.plan.without([slot])
        if is_in_vain and is_in_vain(fewer, slot):
            continue
        trial = try_plan(fewer)
        # As good as the accepted trial, perhaps with the same reservations.
        if trial.ok or [v.failure for v in trial.verdicts] == [v.failure for v in step.trial.verdicts]:
            step = replace(step, plan=fewer, trial=trial)
    return step


def fails_alone(trials: Trials, plan: Plan) -> IsInVain:
    """Whether the function of a slot, which compiles alone with the plan, does not compile without the slot.

    A function that runs in Python fails without its return annotation as soon as an example reaches it.
    """

    @functools.cache
    def compiles(run: TargetRun, owner: Owner) -> bool:
        trial = trials.try_function(run, plan, owner)
        return trial is not None and trial.ok

    def is_in_vain(fewer: Plan, slot: Slot) -> bool:
        owner = slot.owner
        if slot.kind is SlotKind.ATTRIBUTE:
            return False
        if slot.kind is SlotKind.RETURN and trials.evidence.runs_in_python(owner):
            return True
        tried = (trials.try_function(run, fewer, owner) for run in trials.runs if compiles(run, owner))
        if slot.kind is SlotKind.PARAMETER:  # a guess; if it fits the callers, a trial of the whole is a waste
            return all(trial is not None and not trial.ok for trial in tried)
        return any(trial is not None and not trial.ok for trial in tried)

    return is_in_vain


def keep_read(step: Step, evidence: Evidence) -> Plan:
    """The plan for the functions that the compiler read in a step, and for attributes, which it reads first.

    If it reads only a signature, it takes un-annotated parameters for Tensors, so these need no annotation.
    """
    compiled = evidence.with_stubs(set(step.trial.compiled))
    unread = step.plan.only(lambda slot: slot.kind is not SlotKind.ATTRIBUTE and slot.owner not in compiled)
    tensors = (slot for slot, a in unread.annotations.items() if slot.kind is SlotKind.PARAMETER and a.type == TENSOR)
    return step.plan.without([*unread.only(lambda slot: slot.owner not in step.trial.ignored).annotations, *tensors])


def keep_in_scope(step: Step, evidence: Evidence, scope: Scope) -> Plan:
    """The annotations that the compiler reads, and the observed ones of other functions in scope.

    In scope are the functions that example calls name, or all that examples entered under the root. Guesses are not
    made there: nothing judges them.
    """
    plan = keep_read(step, evidence)
    asked_for = evidence.entered if scope is Scope.OBSERVED else evidence.asked_for
    shown = evidence.choose(asked_for.difference(step.trial.compiled, step.trial.ignored))
    return plan.with_(a for a in shown if a.origin is Origin.OBSERVED and plan.get(a.slot) is None)
