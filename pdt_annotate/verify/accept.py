"""Accept a trial although answers differ: no annotation decides it, or the source asks for it. And join trials."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Trial, Verdict


def accept_undecided(trial: Trial) -> Trial:
    """The trial, with all accepted that no annotation decides; failures stay, for the review."""
    verdicts = (replace(each, ok=True) if each.failure and each.failure.code else each for each in trial.verdicts)
    return replace(trial, verdicts=tuple(verdicts))


def accept_on_purpose(trial: Trial, as_scripted: Callable[[], Trial]) -> Trial:
    """The trial, accepted if answers differ on purpose: the source asks whether it is scripted; failures stay.

    To raise is no answer: a module may refuse to be scripted by raising then.

    Args:
        as_scripted: makes the same trial, with `torch.jit.is_scripting()` true in eager mode.
    """
    raises = any(verdict.failure is not None and verdict.failure.raises for verdict in trial.verdicts)
    if raises or not trial.compiles or accept_undecided(trial).ok:
        return trial
    if not accept_undecided(as_scripted()).ok:
        return trial
    return replace(trial, verdicts=tuple(replace(verdict, ok=True) for verdict in trial.verdicts))


def join_trials(trials: Iterable[Trial]) -> Trial:
    """The trials of several targets as one; it ends at the first that fails."""
    verdicts: list[Verdict] = []
    compiled: dict[Owner, None] = {}
    ignored: dict[Owner, None] = {}
    for trial in trials:
        verdicts += trial.verdicts
        compiled.update(dict.fromkeys(trial.compiled))
        ignored.update(dict.fromkeys(trial.ignored))
        if not trial.ok:
            break
    return Trial(tuple(verdicts), tuple(compiled), tuple(ignored))
