"""Output in a terminal that no outcome of `twenty/` shows."""

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from captured import make_captures
from hypothesis import given
from hypothesis import strategies as st
from outcomes import advised_outcome, fail, make_outcome, mended_outcome
from rich.text import Text

from pdt_annotate.emit.messages import message_of
from pdt_annotate.emit.terminal.console import in_columns, plain_text, print_lines, wrap
from pdt_annotate.emit.terminal.failure import describe, tree_lines
from pdt_annotate.emit.terminal.message_lines import (
    MOST,
    MOST_ANNOTATIONS,
    captures_lines,
    excerpt,
    message_lines,
    summary,
)
from pdt_annotate.emit.terminal.report import TerminalReporter
from pdt_annotate.emit.words import TIMES, declared, evidence, judgement, shown, slot_name, tally
from pdt_annotate.settings.options import Color, Options
from pdt_annotate.values.capture_results import Captures
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.slots import Annotation, Finding, Owner, Place, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Answers, Blame, Failure, Fault, Part, Verdict


@pytest.fixture(autouse=True)
def in_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


def printed(encoding: str, text: str, color: Color = Color.AUTO) -> bytes:
    out = io.BytesIO()
    options = Options((Target("a:b", "a", "", "b"),), SpecSource(), ".", color=color)
    stream = io.TextIOWrapper(out, encoding=encoding)
    print_lines(lambda width: [Text(f"{text} {width}", style="bold")], options, stream)
    return out.getvalue()


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("utf-8", "✓ same → ü 120\n"), ("ascii", "+ same -> \\xfc 120\n"), ("latin-1", "+ same -> ü 120\n")],
)
def test_signs_are_those_that_the_stream_can_show(encoding: str, expected: str) -> None:
    assert printed(encoding, "✓ same → ü") == expected.encode(encoding)


def test_a_pipe_is_not_coloured_unless_asked_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    assert printed("utf-8", "a") == b"a 33\n"
    assert printed("utf-8", "a", Color.ALWAYS).startswith(b"\x1b[1ma 33")
    assert plain_text(lambda width: [Text("✓", style="red"), Text(), Text(str(width))]) == "✓\n\n120\n"


def wrapped(text: str, width: int = 20) -> list[str]:
    return [line.plain for line in wrap(Text(text), width)]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("short", ["short"]),
        ("", [""]),
        ("a_name_that_is_wider_than_the_terminal", ["a_name_that_is_wider_than_the_terminal"]),
        ("/a/path/that/is/wider/than/this.py:12:5:", ["/a/path/that/is/wider/than/this.py:12:5:"]),
        ("one two three four five", ["one two three four", "  five"]),
        ("  → one two three four five", ["  → one two three", "    four five"]),
        ("so Dict[str, List[int]] it is", ["so", "  Dict[str, List[int]]", "  it is"]),
        ("say `if a is None` there", ["say `if a is None`", "  there"]),
        ("run `pdt-annotate one two three` so", ["run", "  `pdt-annotate one two three`", "  so"]),
        ("one two\nthree", ["one two", "three"]),
        ("one [two three four five", ["one [two three", "  four five"]),
    ],
)
def test_lines_break_between_words_alone(text: str, lines: list[str]) -> None:
    assert wrapped(text) == lines


def test_marked_code_stays_one_line_and_styles_stay_with_their_words() -> None:
    assert len(list(wrap(Text("x = a if b else c", no_wrap=True), 8))) == 1
    first, second = wrap(Text.assemble("one two three ", ("four five six", "green")), 20)
    assert [first.plain[span.start : span.end] for span in first.spans] == ["four"]
    assert [second.plain[span.start : span.end] for span in second.spans] == ["five six"]


@given(st.text(alphabet="ab`[] ", max_size=60), st.integers(4, 40))
def test_nothing_is_lost_and_no_word_is_broken(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert " ".join(lines).split() == text.split()
    assert all(line == line.rstrip() for line in lines)


COLUMNS = (("way", "script", "fx"), ("calls", "4 of 4", ""), ("held\nback", "2 of 2", ""), ("graphs", "1", "2"))
TABLE = """\
                held
way     calls   back    graphs
script  4 of 4  2 of 2  1
fx                      2"""
BELOW = """\
                held
way     calls   back
script  4 of 4  2 of 2
fx

way     graphs
script  1
fx      2"""


def table(width: int, *columns: tuple[str, ...]) -> list[str]:
    return [line.plain for line in in_columns([list(map(Text, column)) for column in columns], width)]


def test_columns_that_do_not_fit_stand_below_with_the_first_column() -> None:
    assert table(40, *COLUMNS) == TABLE.splitlines()
    assert table(22, *COLUMNS) == BELOW.splitlines()
    assert table(22, *COLUMNS[:3], ("graphs", "1", ""))[-3:] == ["", "way     graphs", "script  1"]
    assert table(40, ("a", "模型", "b"), ("c", "d", "e")) == ["a     c", "模型  d", "b     e"]


@pytest.mark.parametrize("width", range(1, 60))
def test_no_line_is_wider_than_it_must_be_or_ends_with_blanks(width: int) -> None:
    for line in table(width, *COLUMNS):
        assert line == line.rstrip()
        assert len(line) <= max(width, len("script  4 of 4"))


def captures_text(found: tuple[Captures, ...], width: int = 120) -> str:
    return "\n".join(line.plain for line in captures_lines(found, width, in_full=False))


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_of_captures_fits(width: int, tmp_path: Path) -> None:
    text = captures_text(make_captures(tmp_path), width)
    figures = text.partition("figures:")[0]
    assert max(map(len, figures.splitlines())) <= width
    assert all(line == line.rstrip() for line in text.splitlines())
    for said in ("out of the box", "2 of 2", "7230x", "12x"):
        assert said in figures


def test_what_was_not_measured_has_no_column(tmp_path: Path) -> None:
    found = make_captures(tmp_path)[0]
    plain = tuple(replace(each, relative=None, per_call=None) for each in found.captures)
    said = captures_text((replace(found, captures=plain),))
    assert "per" not in said.split()
    assert "1x" not in said


SOUND = Part("", "Block", scripts=True, answers=Answers.ALIKE, calls=2)
FAULT = Fault("PDT004", Failure("try blocks aren't supported"), advice=("Write it plainly.",))
TOP = Part("", "Net")


def at(path: str, part: Part = SOUND, **changes: object) -> Part:
    return replace(part, path=path, **changes)  # type: ignore[arg-type]


def tree(*parts: Part, encoding: str = "utf-8", width: int = 100) -> list[str]:
    blame = Blame(Target("m.py:Net", "", "m.py", "Net"), parts)
    return [line.plain for line in tree_lines(blame, encoding, width)]


TREE = """\
m.py:Net
✗ does not script; faults in itself and in a
PDT004 construct that TorchScript cannot compile
  try blocks aren't supported
  → Write it plainly.
└── a  Net
    ✗ does not script; because of b, list.0
    ├── b  Net
    │   ✗ does not script; faults in itself
    │   PDT004 construct that TorchScript cannot compile
    │     try blocks aren't supported
    │   PDT005 recursion
    │     try blocks aren't supported
    │     → Loop.
    │   these faults may hide others
    └── list.0  Block
        ✗ scripts, but the results differ; faults in itself
        PDT060 scripted results differ from eager results
          try blocks aren't supported
"""


def test_own_faults_and_those_of_children() -> None:
    again = replace(FAULT, code="PDT005", advice=("Loop.", "Write it plainly."))
    parts = (
        at("", TOP, faults=(FAULT,), blamed=("a",)),
        at("a", TOP, blamed=("a.b", "a.list.0")),
        at("a.b", TOP, faults=(FAULT, again), hidden=True),
        at("a.list.0", answers=Answers.DIFFER, faults=(replace(FAULT, code="PDT060"),)),
    )
    assert tree(*parts) == TREE.splitlines()


def test_a_class_shows_its_faults_once_neighbours_share_a_branch_and_wrapped_lines_stay_below() -> None:
    unsound = replace(TOP, name="Block", faults=(FAULT,))
    lines = tree(at("", TOP, blamed=("a", "c")), at("a", unsound), at("b"), at("c", unsound))
    assert lines[-1] == "    the same faults as a"
    lines = tree(at("", TOP, faults=(FAULT,)), *(at(f"l.{index}") for index in range(3)), encoding="ascii")
    assert lines[5] == "`-- l.0 … l.2  Block", "the console replaces what else cannot be shown"
    said = replace(FAULT, failure=Failure("the_first_name is not the_second_name"), advice=())
    assert tree(at("", TOP), at("a", TOP, faults=(said,)), at("b"), width=30)[6:11] == [
        "│   PDT004 construct that",
        "│     TorchScript cannot",
        "│     compile",
        "│     the_first_name is not",
        "│       the_second_name",
    ]


def lines(*found: Finding, in_full: bool = False) -> list[str]:
    return [line.plain for line in message_lines(list(map(message_of, found)), in_full=in_full)]


@pytest.mark.parametrize(("line", "column", "named"), [(3, 7, ("3", "7")), (3, 0, ("3", "1")), (0, 0, ("1", "1"))])
def test_editors_find_the_place_of_each_message(line: int, column: int, named: tuple[str, str], tmp_path: Path) -> None:
    """The docs contain this pattern for the tasks of an editor."""
    first, advice = lines(Finding("PDT030", "only None: so `x`", Place(str(tmp_path / "sub" / "m.py"), line, column)))
    matched = re.match(r"^(.+?):(\d+):(\d+): (PDT\d{3}) (.*)$", first)
    assert matched
    assert matched.groups() == ("sub/m.py", *named, "PDT030", "only None: so `x`")
    assert advice.startswith("  → ")


def test_messages_are_ordered_counted_and_said_once() -> None:
    assert lines(Finding("PDT091", "time is up"))[0] == "PDT091 time is up"
    assert lines(Finding("PDT030", "one\ntwo", Place("m.py", 1, 2)))[:2] == ["m.py:1:2: PDT030 one", "    two"]
    # Findings that may change a result come first, and findings that need no action come last.
    found = [Finding(code, "said") for code in ("PDT066", "PDT030", "PDT042", "PDT070", "PDT100", "PDT090")]
    codes = [line.split()[0] for line in lines(*found) if "→" not in line]
    assert codes == ["PDT090", "PDT042", "PDT100", "PDT030", "PDT070", "PDT066"]
    many = [Finding("PDT030", "again", Place("m.py", line, 1)) for line in range(1, 10)]
    assert lines(*many)[MOST:-1] == [f"  … and {9 - MOST} more of PDT030: -v shows all"]
    assert len(lines(*many, in_full=True)) == 10
    assert len(lines(*many[:MOST])) == MOST + 1
    assert lines(many[0], many[0]) == lines(many[0])


def excerpted(line: str, column: int, width: int = 80) -> list[str]:
    return [each.plain for each in excerpt(line, Place("m.py", 7, column), width)]


@pytest.mark.parametrize(
    ("line", "column", "expected"),
    [
        ("\n", 3, []),
        ("a = b", 0, ["     7 | a = b"]),
        ("    a = b\n", 9, ["     7 | a = b", "       |     ^"]),
        ("\ta = b\n", 6, ["     7 | a = b", "       |     ^"]),
        ("a\t= b\r\n", 5, ["     7 | a = b", "       |     ^"]),
        ("  ä, ö = b\n", 10, ["     7 | ä, ö = b", "       |        ^"]),
        ('"日本" + b', 8, ['     7 | "日本" + b', "       |          ^"]),
    ],
)
def test_the_caret_stands_below_the_column(line: str, column: int, expected: list[str]) -> None:
    assert excerpted(line, column) == expected


@pytest.mark.parametrize("column", [1, 60, 110, 205])
def test_of_a_long_line_the_part_with_the_caret_is_excerpted(column: int) -> None:
    line = "".join(f"{number:03}_" for number in range(60))
    code, caret = excerpted(line, min(column, len(line)), 60)
    assert len(code) <= 60 and len(caret) <= 60
    assert "…" in code
    assert code[caret.index("^")] == line[min(column, len(line)) - 1]


def summary_lines(annotations: tuple[Annotation, ...], width: int, *, in_full: bool = False) -> list[str]:
    found = summary(annotations, {each.slot: Place("m.py", 5) for each in annotations}, width, in_full=in_full)
    return [line.plain for line in found]


def test_where_a_table_is_too_wide_each_function_has_its_lines(tmp_path: Path) -> None:
    assert summary_lines(make_outcome(tmp_path).annotations, 50) == [
        "m.py:5 Net.forward",
        f"  x: Tensor  Tensor{TIMES}3",
        f"  mask: Optional[Tensor]  Tensor{TIMES}2, None{TIMES}1 (guess)",
    ]


@pytest.mark.parametrize("width", [50, 120])
def test_a_long_list_is_cut_and_counted(width: int, tmp_path: Path) -> None:
    (first, _) = make_outcome(tmp_path).annotations
    many = tuple(replace(first, slot=replace(first.slot, name=f"x{number}")) for number in range(MOST_ANNOTATIONS + 3))
    assert summary_lines(many, width)[-1] == "  … and 3 more annotations: -v shows all"
    assert len(summary_lines(many, width)) == MOST_ANNOTATIONS + 2
    assert len(summary_lines(many, width, in_full=True)) == MOST_ANNOTATIONS + 4


def report(capsys: pytest.CaptureFixture[str], outcome: Outcome, **changed: object) -> str:
    options = Options(outcome.targets, SpecSource(), outcome.root)
    made = TerminalReporter(replace(options, **changed))  # type: ignore[arg-type]
    with made.progress() as progress:
        progress("working")
    made.outcome(outcome)
    made.closing("wrote 2 annotations into 1 file", outcome)
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_quiet_says_failures_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert report(capsys, make_outcome(tmp_path), verbosity=-1) == ""
    said = report(capsys, fail(make_outcome(tmp_path)), verbosity=-1).splitlines()
    assert said[0] == "model.py:Net does not script"
    assert "-v shows" not in said[-1]


@pytest.mark.parametrize(
    ("variables", "color", "colored"),
    [
        ("", Color.AUTO, False),
        ("FORCE_COLOR", Color.AUTO, True),
        ("FORCE_COLOR NO_COLOR", Color.AUTO, False),
        ("NO_COLOR", Color.ALWAYS, True),
        ("FORCE_COLOR", Color.NEVER, False),
    ],
)
def test_colour_and_no_progress_in_a_pipe(
    variables: str,
    color: Color,
    colored: bool,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in variables.split():
        monkeypatch.setenv(name, "1")
    text = report(capsys, make_outcome(tmp_path), color=color)
    assert ("\x1b[" in text) is colored
    assert colored or "working" not in text


def test_brackets_are_no_markup_and_lines_are_as_in_python(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = make_outcome(tmp_path)
    odd = replace(outcome.annotations[0], type=TypeExpr("list", (TypeExpr("m.bold"),)))
    assert "List[bold]" in report(capsys, replace(outcome, annotations=(odd,)))
    outcome = fail(make_outcome(tmp_path))
    (change,) = outcome.changes
    after = change.after.replace(b"\n\nfrom torch", b"\n\x0c\nfrom torch").replace(b"\n", b"\r\n")
    said = report(capsys, replace(outcome, changes=(replace(change, before=after, edits=()),))).splitlines()
    assert said[1].startswith("model.py:8:39: ")
    assert said[2:5] == [
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
    assert "with `--mend all` it would script" in describe(advised_outcome(tmp_path))


def test_small_words(tmp_path: Path) -> None:
    owner = Owner(str(tmp_path / "m.py"), "f", 1)
    assert slot_name(Slot(owner, SlotKind.LOCAL, "acc", 3)) == "local acc"
    assert slot_name(Slot(owner, SlotKind.RETURN, "return")) == "return"
    assert slot_name(Slot(owner, SlotKind.ATTRIBUTE, "n")) == "attribute n"
    returned = Annotation(Slot(owner, SlotKind.RETURN, "return"), TypeExpr("int"))
    assert (declared(returned), evidence(returned)) == ("-> int", "")
    places = (Place(owner.file), Place(owner.file, 3, 5), Place("", 3), Place("/elsewhere/m.py", 3))
    assert list(map(shown, places)) == ["m.py", "m.py:3:5", "", "/elsewhere/m.py:3"]
    outcome = mended_outcome(tmp_path)
    counted = {(2, 3): "2 annotations and 3 mends", (0, 1): "1 mend", (1, 0): "1 annotation", (0, 0): "0 annotations"}
    for (first, second), said in counted.items():
        some = replace(outcome, annotations=outcome.annotations[:first], mends=outcome.mends[:second])
        assert tally(some)[0] == said
    verdicts = (Verdict("parses", True), Verdict("answers", True))
    assert judgement(replace(outcome, verdicts=verdicts[:1] * 2)) == "verified: parses"
    assert judgement(replace(outcome, verdicts=verdicts)).endswith("model returns the same results as Python on 1 call")
    on_purpose = replace(outcome, verdicts=(*verdicts, Verdict("answers", True, Failure("2 is not 1"))))
    assert judgement(on_purpose).endswith("model returns the same results as Python on 1 of 2 calls")
    assert judgement(replace(outcome, verdicts=verdicts, verified=False)) == "not verified"
