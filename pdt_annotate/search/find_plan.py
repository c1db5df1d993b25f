"""The whole search, in order: `find_any_plan`, then `trim`."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.search.best_first import Search, Step
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.problems import WholeProblem
from pdt_annotate.search.prune import fails_alone, keep_read, prune
from pdt_annotate.search.repair.situation import return_slot
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Returns
from pdt_annotate.values.slots import Annotation, Origin
from pdt_annotate.verify.accept import accept_undecided


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
