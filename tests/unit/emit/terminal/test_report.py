"""What a person sees, from made-up outcomes."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path

import pytest
from mended_outcomes import advised_outcome, mended_outcome
from outcomes import fail, make_outcome

from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.terminal.failure import describe
from pdt_annotate.emit.terminal.report import Report, render, timing_lines
from pdt_annotate.emit.words import TIMES, evidence, judgement, shown, slot_name, tally
from pdt_annotate.settings.options import Color, Options, WriteBack
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.progress import Timing, Timings
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


def test_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, make_outcome(tmp_path), tmp_path, write_back=WriteBack.DIFF)
    rows = [line.split() for line in text.splitlines()[2:]]
    assert rows[0] == ["place", "function", "slot", "annotation", "evidence"]
    assert rows[1] == ["model.py:5:23", "Net.forward", "x", "Tensor", f"Tensor{TIMES}3"]
    assert rows[2] == [
        "model.py:5:26",
        "Net.forward",
        "mask",
        "Optional[Tensor]",
        f"Tensor{TIMES}2,",
        f"None{TIMES}1",
        "(guess)",
    ]


def test_brackets_are_not_markup(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = make_outcome(tmp_path)
    odd = replace(outcome.annotations[0], type=TypeExpr("list", (TypeExpr("m.bold"),)))
    assert "List[bold]" in printed(capsys, replace(outcome, annotations=(odd,)), tmp_path)


def test_findings_have_code_place_and_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, make_outcome(tmp_path), tmp_path).splitlines()
    assert lines[0] == "model.py:7:34: PDT030 only None was seen for `mask`", "a place in the file as it is written"
    assert lines[1].startswith("  → ")


def test_a_check_tells_what_is_missing_where_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, make_outcome(tmp_path), tmp_path, write_back=WriteBack.CHECK)
    assert text.startswith("model.py:5:9: PDT090 Net.forward lacks x: Tensor, mask: Optional[Tensor]\nmodel.py:5:26: ")
    assert "function" not in text, "no table beside it"


def test_the_closing_line_says_what_the_judges_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    last = printed(capsys, make_outcome(tmp_path), tmp_path).splitlines()[-1]
    assert last == ("wrote 2 annotations into 1 file; the scripted model answers like eager on 3 calls (1 held back)")


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


def test_of_a_failure_the_verdict_comes_first_and_the_rest_is_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = printed(capsys, fail(make_outcome(tmp_path)), tmp_path).splitlines()
    assert lines[:5] == [
        "model.py:Net does not script",
        "model.py:6:39: PDT040 argument of another type at a call: Arguments for call are not valid.",
        "     6 | return x if mask is None else x * mask",
        "       |                               ^",
        "  in Net.forward",
    ]
    assert lines[5].startswith("  → ")
    assert lines[6].startswith("model.py:5:26: PDT030 "), "what stayed open in that function"
    assert lines[-1].endswith("-v shows 2 annotations, 1 finding and what each judge said")


def test_all_of_a_failure_is_shown_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = fail(make_outcome(tmp_path))
    text = printed(capsys, replace(outcome, verdicts=outcome.verdicts * 5), tmp_path, verbosity=1)
    assert "  called from model.py:4:7\n" in text
    assert "function" in text and "✗ scripts\n" in text
    assert text.count("RuntimeError said:\n  Arguments for call are not valid.\n") == 1
    assert text.endswith("wrote 2 annotations into 1 file\n")


def test_the_words_of_an_error_have_the_annotations_that_bear_on_it(tmp_path: Path) -> None:
    outcome = fail(make_outcome(tmp_path))
    other = Annotation(Slot(Owner(outcome.changes[0].file, "Net.other", 20), SlotKind.PARAMETER, "k"), TypeExpr("int"))
    said = describe(replace(outcome, annotations=(*outcome.annotations, other)))
    assert said.startswith("model.py:Net does not script\n")
    written = f"  x: Tensor   Tensor{TIMES}3\n  mask: Optional[Tensor]"
    assert f"pdt-annotate would write in Net.forward:\n{written}" in said
    assert "k: int" not in said


def test_no_line_ends_with_blanks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for outcome in (make_outcome(tmp_path), fail(make_outcome(tmp_path)), mended_outcome(tmp_path)):
        text = printed(capsys, outcome, tmp_path, verbosity=1)
        assert text and [line for line in text.splitlines() if line != line.rstrip()] == []


def test_explain_shows_rules_and_calls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = make_outcome(tmp_path)
    mended = replace(outcome.annotations[1], because="Expected Optional[Tensor]")
    shown_as = {"explain": True, "write_back": WriteBack.DIFF}
    text = printed(capsys, replace(outcome, annotations=(mended,)), tmp_path, **shown_as)
    for line in (
        "model.py:5:26 Net.forward",
        "  mask: Optional[Tensor]",
        "    origin: guess",
        "    rules: default None",
        "    also legal: Optional[int]",
        "    because the compiler said: Expected Optional[Tensor]",
        f"    seen: Tensor{TIMES}2 in b",
    ):
        assert line in text.splitlines()


def test_verbose_lists_the_judges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "✓ parses\n✓ scripts\n" in printed(capsys, make_outcome(tmp_path), tmp_path, verbosity=1)


def test_small_words(tmp_path: Path) -> None:
    owner = Owner(str(tmp_path / "m.py"), "f", 1)
    assert slot_name(Slot(owner, SlotKind.LOCAL, "acc", 3)) == "local acc"
    assert slot_name(Slot(owner, SlotKind.RETURN, "return")) == "return"
    assert evidence(Annotation(Slot(owner, SlotKind.RETURN, "return"), TypeExpr("int"))) == ""
    assert shown(Place(str(tmp_path / "m.py"))) == "m.py"
    assert shown(Place(str(tmp_path / "m.py"), 3, 5)) == "m.py:3:5"
    assert shown(Place("", 3)) == ""
    assert shown(Place("/elsewhere/m.py", 3)) == "/elsewhere/m.py:3"


def test_mends_stand_below_the_message_that_asked_for_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "changes of code" not in printed(capsys, make_outcome(tmp_path), tmp_path)
    outcome = mended_outcome(tmp_path)
    lines = printed(capsys, outcome, tmp_path).splitlines()
    at = lines.index("changes of code, since the compiler said: Lambda aren't supported")
    assert (
        lines[at + 1] == "  model.py:5:12 halve: `(lambda t: t / by)(x)` is written otherwise  (exact, local_functions)"
    )
    assert "changes of code, since the compiler said: Could not cast value" in lines
    assert tally(outcome) == ("2 annotations and 3 mends", "1 file")


@pytest.mark.parametrize("louder", [{"verbosity": 1}, {"explain": True}])
def test_the_message_that_asked_is_told_in_full_where_more_is_asked_for(
    louder: dict[str, object], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = printed(capsys, mended_outcome(tmp_path), tmp_path, **louder)
    assert "the compiler said: Could not cast value\nof type None to bool\n" in text


def test_what_would_have_helped_comes_with_its_size_and_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    outcome = advised_outcome(tmp_path)
    assert outcome.advised
    Report(options(tmp_path)).advised(outcome.advised, "pdt-annotate model.py:Block --mend all")
    first, *rest = capsys.readouterr().err.splitlines()
    assert first == (
        "with `--mend all` it would script: 3 changes of code in 1 file, +5 -4 lines with the annotations:"
    )
    assert any("halve: " in line for line in rest)
    assert rest[-1] == "  → pdt-annotate model.py:Block --mend all"


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


def test_stages_in_their_order_then_what_was_asked_in_them() -> None:
    timings = Timings((Timing("running", 0.25), Timing("looking", 12.5)), (Timing("attempt", 11.004, 3),))
    lines = [line.plain.split("  ") for line in timing_lines(timings)]
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert rows == [
        ["stage", "seconds"],
        ["running", "0.25"],
        ["looking", "12.50"],
        ["asked of other processes: attempt (3)", "11.00"],
    ]


@pytest.mark.parametrize(("write_back", "place"), [(WriteBack.IN_PLACE, "7:34"), (WriteBack.DIFF, "5:26")])
def test_places_are_those_in_the_files_as_they_are_left(write_back: WriteBack, place: str, tmp_path: Path) -> None:
    text = render(make_outcome(tmp_path), Invocation(str(tmp_path), write_back)).decode()
    assert text.startswith(f"model.py:{place}: PDT030 ")
    assert text.endswith("\nthe scripted model answers like eager on 3 calls (1 held back)\n")


def test_what_would_have_helped_is_told_once(tmp_path: Path) -> None:
    text = render(advised_outcome(tmp_path), Invocation(str(tmp_path), WriteBack.DIFF)).decode()
    assert text.count("with `--mend all` it would script") == 1
    assert "\x1b" not in text and "  → the same command with --mend all\n" in text
