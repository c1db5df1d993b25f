"""Differences that the examples do not show: traps in compiled code, and drawn calls.

A trap that changes the answer of a drawn call fails verification. A trap without such a call is a finding. So is a call
that differs for another reason than a known trap, or mildly: eager mode raises, for example for a division by zero.
"""

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TypeVar

from pdt_annotate.processes import tasks
from pdt_annotate.processes.tasks import TargetRun
from pdt_annotate.settings.options import Options
from pdt_annotate.source.moves import moves_of
from pdt_annotate.values.budget import ALLOWANCES
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.runs import Candidate
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import NOTHING_FURTHER, PROBES, Counterexample, Failure, Further, Trial, Verdict

T = TypeVar("T")


def seconds_to_probe(options: Options) -> float:
    return 0.0 if options.no_probe else ALLOWANCES["generated calls"].of(options.budget)


def look_further(runs: Sequence[TargetRun], candidate: Candidate, seconds: float) -> Further:
    """Look for traps in targets that verify with a candidate's annotations, and for calls that differ.

    All drawn calls together take at most `seconds` of processor time; for 0 no call is drawn.
    """
    share = seconds / max(len(runs), 1)
    found = (tasks.look_further(run.session, candidate, share) for run in runs)
    return functools.reduce(Further.__or__, found, NOTHING_FURTHER)


@contextlib.contextmanager
def meanwhile(work: Callable[[], T]) -> Iterator[Callable[[], T]]:
    """Work in a thread while the block runs, and yield a function that waits for the result.

    The work must not use a session that the block waits for long.
    """
    pool = ThreadPoolExecutor(1)
    try:
        yield pool.submit(work).result
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def with_further(trial: Trial, further: Further, changes: Iterable[FileChange] = ()) -> Trial:
    """Return the trial with a failed verdict for every call on which a trap changes the answer.

    The verdicts are about lines of the changed files.
    """
    moves = moves_of(changes)
    confirming = ((each, each.place, moves.get(each.place.file)) for each in further.counterexamples if each.is_wrong)
    placed = ((_describe(each), moved.follow_place(place) if moved else place) for each, place, moved in confirming)
    found = (Verdict(PROBES, False, Failure(text, place=place)) for text, place in placed)
    unseen = (Verdict(PROBES, True, note=f"not checked: {each}") for each in further.unseen)
    return replace(trial, verdicts=(*trial.verdicts, *found, *unseen))


def review_further(further: Further, *, refusing: bool = True) -> Iterator[Finding]:
    """Yield findings on traps and drawn calls; if `refusing`, wrong calls have failed the target, and are left out."""
    for trap in further.traps:
        if not trap.doubtful:
            yield Finding(trap.code, trap.message, trap.place)
    for each in further.counterexamples:
        if not (refusing and each.is_wrong):
            code = each.confirms[0].code if each.confirms else "PDT067"  # no known trap explains it
            yield Finding(code, _describe(each), each.place)
    if further.undrawn and refusing:  # `script()` draws as many as its time allows
        reason = "earlier generated calls used all the processor time that `--budget` allows for them"
        yield Finding("PDT091", f"{further.undrawn} generated call{'s' * (further.undrawn > 1)} not tested: {reason}")


def _describe(found: Counterexample) -> str:
    by_code = {trap.code: trap.message for trap in reversed(found.confirms)}
    reasons = "".join(f"; {code}, {message}" for code, message in by_code.items())
    message = f"on a generated call, {found.message}{reasons}"
    return f"{message}; to test it in every run, add the call to the spec: {found.call}"
