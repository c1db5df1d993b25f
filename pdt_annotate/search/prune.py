"""Drop the annotations that a plan verifies without, and those of functions out of scope."""

import functools
from collections.abc import Callable
from dataclasses import replace

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.processes.tasks import TargetRun
from pdt_annotate.search.best_first import CutOff, Step
from pdt_annotate.search.plan import Plan, Trials
from pdt_annotate.settings.options import Scope
from pdt_annotate.values.budget import UNBOUNDED, Budget
from pdt_annotate.values.slots import Origin, Owner, Slot, SlotKind
from pdt_annotate.values.types import TENSOR
from pdt_annotate.values.verdicts import Trial

IsInVain = Callable[[Plan, Slot], bool]  # whether a plan that lacks the slot is known to fail before it is tried


def prune(
    step: Step,
    try_plan: Callable[[Plan], Trial],
    is_in_vain: IsInVain = lambda plan, slot: False,
    budget: Budget = UNBOUNDED,
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
        if is_in_vain(fewer, slot):
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
