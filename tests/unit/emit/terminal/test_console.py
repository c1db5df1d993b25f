"""Where lines are printed, with and without Unicode, and where they are broken."""

from __future__ import annotations

import io
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from pdt_annotate.emit.terminal.console import in_columns, plain_text, print_lines, wrap
from pdt_annotate.settings.options import Color, Options
from pdt_annotate.values.runs import SpecSource, Target

OPTIONS = Options((Target("a:b", "a", "", "b"),), SpecSource(), os.curdir)


def printed(encoding: str, text: str, color: Color = Color.AUTO) -> bytes:
    out = io.BytesIO()
    stream = io.TextIOWrapper(out, encoding=encoding)
    options = Options(OPTIONS.targets, OPTIONS.spec, OPTIONS.root, color=color)
    print_lines(lambda width: [Text(f"{text} {width}", style="bold")], options, stream)
    return out.getvalue()


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("utf-8", "✓ same → ü 120\n"), ("ascii", "+ same -> \\xfc 120\n"), ("latin-1", "+ same -> ü 120\n")],
)
def test_signs_are_those_that_the_stream_can_show(
    encoding: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert printed(encoding, "✓ same → ü") == expected.encode(encoding)


def test_a_pipe_is_not_coloured_unless_asked_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "33")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert printed("utf-8", "a") == b"a 33\n"
    assert printed("utf-8", "a", Color.ALWAYS).startswith(b"\x1b[1ma 33")


def test_a_file_has_the_text_alone() -> None:
    assert plain_text(lambda width: [Text("✓", style="red"), Text(), Text(str(width))]) == "✓\n\n120\n"


def wrapped(text: str, width: int) -> list[str]:
    return [line.plain for line in wrap(Text(text), width)]


@pytest.mark.parametrize(
    "text",
    ["short", "", "a_name_that_is_wider_than_the_terminal", "/a/path/that/is/wider/than/the/terminal.py:12:5:"],
)
def test_what_stays_one_line(text: str) -> None:
    assert wrapped(text, 20) == [text]


def test_code_that_is_marked_stays_one_line() -> None:
    assert len(list(wrap(Text("x = a if b else c", no_wrap=True), 8))) == 1


@pytest.mark.parametrize(
    ("text", "lines"),
    [
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
    assert wrapped(text, 20) == lines


def test_styles_stay_with_their_words() -> None:
    line = Text.assemble("one two three ", ("four five six", "green"))
    first, second = wrap(line, 20)
    assert [first.plain[span.start : span.end] for span in first.spans] == ["four"]
    assert [second.plain[span.start : span.end] for span in second.spans] == ["five six"]


@given(st.text(alphabet="ab`[] ", max_size=60), st.integers(4, 40))
def test_nothing_is_lost_and_no_word_is_broken(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert " ".join(lines).split() == text.split()
    assert all(line == line.rstrip() for line in lines)


COLUMNS = (("way", "script", "fx"), ("calls", "4 of 4", ""), ("held\nback", "2 of 2", ""), ("graphs", "1", "2"))


def lines(width: int, columns: tuple[tuple[str, ...], ...] = COLUMNS) -> list[str]:
    return [line.plain for line in in_columns([list(map(Text, column)) for column in columns], width)]


def test_what_fits_is_one_table_with_heads_right_above_their_columns() -> None:
    assert lines(40) == [
        "                held",
        "way     calls   back    graphs",
        "script  4 of 4  2 of 2  1",
        "fx                      2",
    ]


def test_what_does_not_fit_stands_below_with_the_first_column() -> None:
    assert lines(22) == [
        "                held",
        "way     calls   back",
        "script  4 of 4  2 of 2",
        "fx",
        "",
        "way     graphs",
        "script  1",
        "fx      2",
    ]


def test_a_row_that_has_nothing_more_is_not_repeated() -> None:
    columns = (*COLUMNS[:3], ("graphs", "1", ""))
    assert lines(22, columns)[-3:] == ["", "way     graphs", "script  1"]


@pytest.mark.parametrize("width", range(1, 60))
def test_no_line_is_wider_than_it_must_be_or_ends_with_blanks(width: int) -> None:
    for line in lines(width):
        assert line == line.rstrip()
        assert len(line) <= max(width, len("script  4 of 4"))


def test_wide_characters_take_two_columns() -> None:
    assert lines(40, (("a", "模型", "b"), ("c", "d", "e"))) == ["a     c", "模型  d", "b     e"]
