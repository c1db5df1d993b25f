"""Where lines are broken, and where never."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from pdt_annotate.emit.terminal.wrapping import wrap


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
        ("one [two three four five", ["one [two three four", "  five"]),
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
