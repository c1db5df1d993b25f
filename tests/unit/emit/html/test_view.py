"""What is said first of a run: right for what was asked, and for how it ended."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from html_outcomes import blamed
from outcomes import fail, make_outcome

from pdt_annotate.emit.html.view import ending_of
from pdt_annotate.emit.machine.invocation import Invocation, NoResult
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import Outcome, Outdated
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import Verdict

HOLDS = "the scripted model answers like eager on 3 calls (1 held back)"


def ending(outcome: Outcome, write_back: WriteBack = WriteBack.IN_PLACE, code: int = 0) -> tuple[str, str]:
    return ending_of(outcome, Invocation(outcome.root, write_back, code))


@pytest.mark.parametrize(
    ("write_back", "code", "tone", "said"),
    [
        (WriteBack.IN_PLACE, 0, "ok", f"Written: 2 annotations into 1 file. T{HOLDS[1:]}"),
        (WriteBack.IN_PLACE, 1, "review", f"Written: 2 annotations into 1 file. T{HOLDS[1:]}"),
        (WriteBack.CHECK, 1, "bad", f"Check failed: 2 annotations missing in 1 file. With them, {HOLDS}"),
        (WriteBack.CHECK, 0, "review", f"2 annotations missing in 1 file. With them, {HOLDS}"),
        (WriteBack.DIFF, 0, "ok", f"To be written: 2 annotations into 1 file. With them, {HOLDS}"),
        (WriteBack.STUBS, 0, "ok", f"Written as stubs: 2 annotations of 1 file. T{HOLDS[1:]}"),
    ],
)
def test_where_something_changes(write_back: WriteBack, code: int, tone: str, said: str, tmp_path: Path) -> None:
    assert ending(make_outcome(tmp_path), write_back, code) == (tone, said)


def test_where_nothing_changes(tmp_path: Path) -> None:
    outcome = replace(make_outcome(tmp_path), changes=(), annotations=())
    assert ending(outcome, WriteBack.CHECK) == ("ok", f"Nothing to annotate. T{HOLDS[1:]}")
    assert ending(outcome, WriteBack.NOTHING) == ("ok", f"Verified. T{HOLDS[1:]}")


def test_what_no_compiler_judged_is_neither_good_nor_bad(tmp_path: Path) -> None:
    outcome = replace(make_outcome(tmp_path), verified=False, verdicts=(Verdict("parses", True),))
    assert ending(outcome)[0] == ending(outcome, WriteBack.DIFF)[0] == "idle"
    assert ending(outcome, WriteBack.CHECK, 1)[0] == "bad"
    assert "2 annotations missing" in ending(outcome, WriteBack.CHECK, 1)[1]
    assert "not verified by the compiler" in ending(outcome)[1].lower()


@pytest.mark.parametrize("write_back", WriteBack)
def test_what_failed_is_bad_whatever_was_asked(write_back: WriteBack, tmp_path: Path) -> None:
    assert ending(fail(make_outcome(tmp_path)), write_back, 3) == ("bad", "Failed: it does not script")


def test_of_what_failed_the_parts_that_hold_are_told(tmp_path: Path) -> None:
    said = ending(blamed(make_outcome(tmp_path)), code=3)[1]
    assert said == (
        "Failed: it does not script; 1 line is in the way, in 1 of 4 modules. "
        "Written: 2 annotations into 1 file, of what holds by itself"
    )


def test_a_target_that_could_not_be_run_is_told(tmp_path: Path) -> None:
    outcome = replace(make_outcome(tmp_path), joined=True, verified=False)
    invocation = Invocation(outcome.root, exit_code=2, without_result=(NoResult(("b:Net",), "there is no b"),))
    assert ending_of(outcome, invocation) == ("bad", "No result for 1 of 2 targets: b:Net: there is no b")


def test_what_a_profile_does_not_know_is_missing(tmp_path: Path) -> None:
    finding = Finding("PDT070", "changed")
    outcome = replace(make_outcome(tmp_path), verified=False, verdicts=(Verdict("parses", True),))
    outcome = replace(outcome, changes=(), outdated=Outdated((finding,), "pdt-annotate run -- pytest"))
    said = ending(outcome, WriteBack.CHECK, 1)
    assert said[0] == "bad"
    assert said[1].startswith("Check failed: the profile does not know 1 function without annotations. Not verified")
    assert ending(outcome, WriteBack.DIFF)[1].startswith("The profile does not know 1 function")


def test_of_several_targets_one_from_a_profile_alone_is_no_failure(tmp_path: Path) -> None:
    outcome = replace(make_outcome(tmp_path), verified=False, joined=True)
    assert ending(outcome)[0] == "idle"
    assert ending(replace(fail(make_outcome(tmp_path)), joined=True), code=3)[0] == "bad"
