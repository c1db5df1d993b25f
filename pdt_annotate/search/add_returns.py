"""`--returns all`: the returns that nothing needs, annotated with what the compiler made of them."""

from __future__ import annotations

from pdt_annotate.findings.compiler_types import parse_type
from pdt_annotate.search.best_first import Step
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.repair.situation import return_slot
from pdt_annotate.search.trials import Trials
from pdt_annotate.values.slots import Annotation, Origin, Owner


def add_returns(trials: Trials, step: Step) -> Step:
    """The step with all returns that it leaves open, if that verifies; else the step itself."""
    types = trials.return_types(step.plan)
    found = [a for owner, text in sorted(types.items()) if (a := _annotate_return(trials, owner, text, step.plan))]
    more = step.plan.with_(found)
    trial = trials.try_whole(more)
    return Step(more, trial) if trial.ok else step


def _annotate_return(trials: Trials, owner: Owner, text: str, plan: Plan) -> Annotation | None:
    function = trials.evidence.project.function(owner)
    type_ = parse_type(text)
    if function is None or function.returns or function.settled or type_ is None:
        return None
    slot = return_slot(function)
    seen = tuple(trials.evidence.seen.get(slot, ()))
    return None if plan.get(slot) else Annotation(slot, type_, Origin.SOURCE, ("compiled schema",), seen)
