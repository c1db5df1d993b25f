"""What a person sees, from made-up outcomes."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import advised_outcome, fail, make_outcome, mended_outcome

from pdt_annotate.emit.terminal.failure import describe
from pdt_annotate.emit.terminal.report import Report
from pdt_annotate.emit.words import TIMES, evidence, judgement, shown, slot_name, tally
from pdt_annotate.settings.options import Color, Options
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure, Verdict


@pytest.fixture(autouse=True)
def in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


def options(root: Path, **changed: object) -> Options:
    target = Target("model.py:Net", "", str(root / "model.py"), "Net")
    return dataclasses.replace(Options((target,), SpecSource(), str(root)), **changed)  # type: ignore[arg-type]


def printed(capsys: pytest.CaptureFixture[str], outcome: Outcome, root: Path, **changed: object) -> str:
    report = Report(options(root, **changed))
    with report.progress() as progress:
        progress("working")
    report.outcome(outcome)
    report.closing("wrote 2 annotations into 1 file", outcome)
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_quiet_is_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, make_outcome(tmp_path), tmp_path, verbosity=-1) == ""


def test_quiet_still_tells_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, fail(make_outcome(tmp_path)), tmp_path, verbosity=-1).splitlines()
    assert lines[0] == "model.py:Net does not script"
    assert "-v shows" not in lines[-1]


def test_a_pipe_gets_neither_colour_nor_progress(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, make_outcome(tmp_path), tmp_path)
    assert "\x1b" not in text
    assert "working" not in text


@pytest.mark.parametrize(
    ("variables", "color", "colored"),
    [
        ({}, Color.AUTO, False),
        ({"FORCE_COLOR": "1"}, Color.AUTO, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, Color.AUTO, False),
        ({"NO_COLOR": "1"}, Color.ALWAYS, True),
        ({"FORCE_COLOR": "1"}, Color.NEVER, False),
    ],
)
def test_colour(
    variables: dict[str, str],
    color: Color,
    colored: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in printed(capsys, make_outcome(tmp_path), tmp_path, color=color)) is colored


def test_brackets_are_not_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = make_outcome(tmp_path)
    odd = replace(outcome.annotations[0], type=TypeExpr("list", (TypeExpr("m.bold"),)))
    assert "List[bold]" in printed(capsys, replace(outcome, annotations=(odd,)), tmp_path)


@pytest.mark.parametrize(
    ("verdicts", "verified", "expected"),
    [
        ((), False, "not verified"),
        ((Verdict("answers", True),), True, "the scripted model answers like eager on 1 call"),
        ((Verdict("parses", True), Verdict("scripts", True)), True, "verified: parses, scripts"),
        ((Verdict("answers", True), Verdict("answers", False)), False, "verification failed: answers"),
        ((Verdict("answers", True),), False, "not verified"),
    ],
)
def test_judgement(tmp_path: Path, verdicts: tuple[Verdict, ...], verified: bool, expected: str) -> None:
    assert judgement(replace(make_outcome(tmp_path), verdicts=verdicts, verified=verified)) == expected


def test_the_line_of_a_failure_is_counted_as_python_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = fail(make_outcome(tmp_path))
    (change,) = outcome.changes
    after = change.after.replace(b"\n\nfrom torch", b"\n\x0c\nfrom torch").replace(b"\n", b"\r\n")
    outcome = replace(outcome, changes=(replace(change, before=after, edits=()),))
    lines = printed(capsys, outcome, tmp_path).splitlines()
    assert lines[1].startswith("model.py:8:39: ")
    assert lines[2:5] == [
        "     8 | return x if mask is None else x * mask",
        "       |                               ^",
        "  in Net.forward",
    ]


def test_the_words_of_an_error_have_the_annotations_that_bear_on_it(tmp_path: Path) -> None:
    outcome = fail(make_outcome(tmp_path))
    other = Annotation(Slot(Owner(outcome.changes[0].file, "Net.other", 20), SlotKind.PARAMETER, "k"), TypeExpr("int"))
    said = describe(replace(outcome, annotations=(*outcome.annotations, other)))
    assert said.startswith("model.py:Net does not script\n")
    written = f"  x: Tensor   Tensor{TIMES}3\n  mask: Optional[Tensor]"
    assert f"pdt-annotate would write in Net.forward:\n{written}" in said
    assert "k: int" not in said


def test_small_words(tmp_path: Path) -> None:
    owner = Owner(str(tmp_path / "m.py"), "f", 1)
    assert slot_name(Slot(owner, SlotKind.LOCAL, "acc", 3)) == "local acc"
    assert slot_name(Slot(owner, SlotKind.RETURN, "return")) == "return"
    assert evidence(Annotation(Slot(owner, SlotKind.RETURN, "return"), TypeExpr("int"))) == ""
    assert shown(Place(str(tmp_path / "m.py"))) == "m.py"
    assert shown(Place(str(tmp_path / "m.py"), 3, 5)) == "m.py:3:5"
    assert shown(Place("", 3)) == ""
    assert shown(Place("/elsewhere/m.py", 3)) == "/elsewhere/m.py:3"


def test_what_would_have_helped_is_in_the_words_of_an_error(tmp_path: Path) -> None:
    assert "with `--mend all` it would script" in describe(advised_outcome(tmp_path))


@pytest.mark.parametrize(
    ("annotations", "mends", "said"),
    [(2, 3, "2 annotations and 3 mends"), (0, 1, "1 mend"), (1, 0, "1 annotation"), (0, 0, "0 annotations")],
)
def test_what_is_counted(annotations: int, mends: int, said: str, tmp_path: Path) -> None:
    outcome = mended_outcome(tmp_path)
    some = replace(outcome, annotations=outcome.annotations[:annotations], mends=outcome.mends[:mends])
    assert tally(some)[0] == said


@pytest.mark.parametrize(("judge", "code"), [("behaves as before", "PDT094"), ("also runs", "PDT095")])
def test_a_no_of_the_judges_of_mends_is_told_by_its_own_code(
    judge: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    no = Verdict(judge, False, Failure("in Python, the answer is 2 with the mends, 3 before", call="call 1"))
    text = printed(capsys, replace(mended_outcome(tmp_path), verdicts=(no,), verified=False), tmp_path)
    assert f"fails verification: {judge}\n{code} " in text
    assert "on the example call call 1" in text and "the answer is 2 with the mends, 3 before" in text
