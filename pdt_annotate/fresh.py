"""Judging what was rendered: as text, and in a fresh import over the overlay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pdt_annotate.config import Options
from pdt_annotate.ir import Candidate, FileChange, Target, Trial, Verdict
from pdt_annotate.isolate import Session, Zygote
from pdt_annotate.plan import Rendered
from pdt_annotate.serving import NO_IMPORTS
from pdt_annotate.trials import join_trials, judge, settle
from pdt_annotate.verify import parses, same_program, stable

PREPARE = "pdt_annotate.child:prepare"
OBSERVE = "pdt_annotate.child:observe"

NO_SOURCES: Mapping[str, bytes] = {}


def open_session(
    options: Options,
    zygote: Zygote,
    target: Target,
    sources: Mapping[str, bytes] = NO_SOURCES,
    imports: Mapping[str, Sequence[str]] = NO_IMPORTS,
    heard: bool = False,
) -> Session:
    """A session in which a target is imported over the overlay of `sources` and built.

    Raises:
        UserError: the target, the spec or the user's code is at fault.
    """
    over = (sources, imports, options.types_third_party)
    return zygote.session(PREPARE, target, options.spec_of(target), options.root, *over, heard=heard)


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
    return join_trials(judge(open_session(options, zygote, target, sources), Candidate()) for target in options.targets)
