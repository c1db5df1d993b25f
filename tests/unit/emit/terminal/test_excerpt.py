"""A line of code with a caret, however long it is."""

from __future__ import annotations

import pytest

from pdt_annotate.emit.terminal.excerpt import excerpt
from pdt_annotate.values.places import Place


def shown(line: str, column: int, width: int = 80) -> list[str]:
    return [each.plain for each in excerpt(line, Place("m.py", 7, column), width)]


def test_where_there_is_no_line_nothing_is_shown() -> None:
    assert shown("\n", 3) == []


@pytest.mark.parametrize(
    ("line", "column"), [("    a = b\n", 9), ("\ta = b\n", 6), ("a\t= b\r\n", 5), ("  ä, ö = b\n", 10)]
)
def test_the_caret_stands_below_the_column(line: str, column: int) -> None:
    code, caret = shown(line, column)
    assert code[caret.index("^")] == "b"


def test_below_wide_characters_too() -> None:
    assert shown('"日本" + b', 8) == ['     7 | "日本" + b', "       |          ^"]


def test_without_a_column_there_is_no_caret() -> None:
    assert shown("a = b", 0) == ["     7 | a = b"]


@pytest.mark.parametrize("column", [1, 60, 110, 205])
def test_of_a_long_line_the_part_with_the_caret_is_shown(column: int) -> None:
    line = "".join(f"{number:03}_" for number in range(60))
    code, caret = shown(line, min(column, len(line)), 60)
    assert len(code) <= 60 and len(caret) <= 60
    assert "…" in code
    assert code[caret.index("^")] == line[min(column, len(line)) - 1]
