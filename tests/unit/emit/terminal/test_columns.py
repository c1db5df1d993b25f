"""Columns of text: as wide as they have to be, and no wider than the terminal."""

from __future__ import annotations

import pytest
from rich.text import Text

from pdt_annotate.emit.terminal.columns import in_columns

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
