"""What is said first of a run, where no outcome of `twenty/` shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import OUTCOMES, fail, make_outcome

from pdt_annotate.emit.html.view import ending_of
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import Outcome

HOLDS = "he scripted model answers like eager on 3 calls (1 held back)"
ONLY_TEXT = "ot verified by the compiler, only judged as text; with example inputs (-i) it is verified"
UNKNOWN = "The profile does not know 1 function without annotations"
BY_ITSELF = "of what holds by itself"
WRITTEN = "Written: 2 annotations into 1 file. "

Made = Callable[[Path], Outcome]


def unjudged(root: Path) -> Outcome:
    return replace(make_outcome(root), verified=False, verdicts=make_outcome(root).verdicts[:1])


def unchanged(root: Path) -> Outcome:
    return replace(make_outcome(root), changes=(), annotations=())


def from_a_profile(root: Path) -> Outcome:
    return OUTCOMES["profile_alone"](root)[0]


def joined(root: Path) -> Outcome:
    return replace(make_outcome(root), verified=False, joined=True)


def failed_and_joined(root: Path) -> Outcome:
    return replace(fail(make_outcome(root)), joined=True)


@pytest.mark.parametrize(
    ("make", "write_back", "code", "tone", "said"),
    [
        (make_outcome, WriteBack.IN_PLACE, 1, "review", f"{WRITTEN}T{HOLDS}"),
        (make_outcome, WriteBack.CHECK, 0, "review", f"2 annotations missing in 1 file. With them, t{HOLDS}"),
        (unchanged, WriteBack.CHECK, 0, "ok", f"Nothing to annotate. T{HOLDS}"),
        (unjudged, WriteBack.IN_PLACE, 0, "idle", f"{WRITTEN}N{ONLY_TEXT}"),
        (unjudged, WriteBack.DIFF, 0, "idle", f"To be written: 2 annotations into 1 file. N{ONLY_TEXT}"),
        (unjudged, WriteBack.CHECK, 1, "bad", f"Check failed: 2 annotations missing in 1 file. N{ONLY_TEXT}"),
        (from_a_profile, WriteBack.DIFF, 0, "review", f"{UNKNOWN}. N{ONLY_TEXT}"),
        (joined, WriteBack.IN_PLACE, 0, "idle", f"{WRITTEN}Not verified"),
        (failed_and_joined, WriteBack.IN_PLACE, 3, "bad", f"Failed: it does not script. {WRITTEN[:-2]}, {BY_ITSELF}"),
        *((lambda root: fail(make_outcome(root)), each, 3, "bad", "Failed: it does not script") for each in WriteBack),
    ],
)
def test_the_ending(make: Made, write_back: WriteBack, code: int, tone: str, said: str, tmp_path: Path) -> None:
    outcome = make(tmp_path)
    assert ending_of(outcome, Invocation(outcome.root, write_back, code)) == (tone, said)
