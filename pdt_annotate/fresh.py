"""Judging what was rendered: as text, and in a fresh import over the overlay."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.config import Options
from pdt_annotate.ir import Candidate, FileChange, Trial, Verdict
from pdt_annotate.isolate import Zygote
from pdt_annotate.plan import Rendered
from pdt_annotate.trials import join_trials, judge, settle
from pdt_annotate.verify import parses, same_program, stable

PREPARE = "pdt_annotate.child:prepare"
OBSERVE = "pdt_annotate.child:observe"


def judge_texts(rendered: Rendered) -> tuple[Verdict, ...]:
    """The judges that need no compiler."""
    return (parses.judge(rendered.changes), same_program.judge(rendered.changes), stable.judge(rendered.again))


def verify(options: Options, zygote: Zygote, rendered: Rendered) -> Trial:
    """Judge the rewritten files: as text, then in a fresh import over the overlay."""
    texts = judge_texts(rendered)
    if not all(verdict.ok for verdict in texts):
        return Trial(texts)
    trial = settle(verify_fresh(options, zygote, rendered.changes))
    return replace(trial, verdicts=(*texts, *trial.verdicts))


def verify_fresh(options: Options, zygote: Zygote, changes: tuple[FileChange, ...]) -> Trial:
    """Import each target anew over the changed files, script it and compare its answers."""
    sources = {change.file: change.after for change in changes}
    return join_trials(
        judge(zygote.session(PREPARE, target, options.spec, options.root, sources), Candidate())
        for target in options.targets
    )
