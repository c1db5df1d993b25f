"""The whole search, in order."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.search.add_returns import add_returns
from pdt_annotate.search.best_first import Search, Step
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.problems import Whole
from pdt_annotate.search.prune import fails_alone, prune
from pdt_annotate.search.trials import Trials
from pdt_annotate.settings.options import Returns
from pdt_annotate.verify.judging import accept_alike


def find_plan(trials: Trials) -> Step:
    """Look for a plan with which every target scripts and answers alike, and that has no annotation too many.

    Returns:
        the plan with its trial; where none verifies, the one that came furthest.
    """
    # Begin with what the examples showed.
    evidence = trials.evidence
    step = Search(Whole(trials)).run(Plan().with_(evidence.choose(evidence.entered_files)))

    # Targets that make code of their annotations are built anew with what was found, and searched again.
    while trials.is_in_made_code(step.trial) and trials.build_anew(step.plan):
        step = Search(Whole(trials)).run(step.plan)

    # No annotation decides the class of a container in the answers.
    step = replace(step, trial=accept_alike(step.trial))
    if not step.trial.ok:
        return step

    # Drop what is not needed, then add what was asked for beyond that.
    step = prune(step, trials.try_whole, fails_alone(trials, step.plan))
    return add_returns(trials, step) if trials.returns is Returns.ALL else step
