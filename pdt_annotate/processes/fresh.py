"""Judging what was rendered: as text, and in a fresh import over the overlay."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.processes.tasks import judge, open_session
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import FileChange, Rendered
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.verdicts import Trial
from pdt_annotate.verify.judging import accept_alike, join_trials, judge_texts


def verify(options: Options, zygote: Zygote, rendered: Rendered) -> Trial:
    """Judge the rewritten files: as text, then in a fresh import over the overlay."""
    texts = judge_texts(rendered)
    if not all(verdict.ok for verdict in texts):
        return Trial(texts)
    trial = accept_alike(verify_fresh(options, zygote, rendered.changes))
    return replace(trial, verdicts=(*texts, *trial.verdicts))


def verify_fresh(options: Options, zygote: Zygote, changes: tuple[FileChange, ...]) -> Trial:
    """Import each target anew over the changed files, script it and compare its answers."""
    sources = {change.file: change.after for change in changes}
    return join_trials(judge(open_session(options, zygote, target, sources), Candidate()) for target in options.targets)
