"""Columns of text as lines: as many beside each other as fit, the others below, with the first column again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

GAP = 2
"""Blanks between columns."""

Cells = Sequence[Text]
"""A column: its head and a cell for each row; the head may have several lines."""


def in_columns(columns: Sequence[Cells], width: int) -> Iterator[Text]:
    """The lines of as few tables as the columns fit in, each headed; no line ends with blanks.

    Args:
        columns: all with as many cells; the first says what a row is about.
        width: of the terminal.
    """
    for number, table in enumerate(_tables(columns, width)):
        if number:
            yield Text()
        rows = list(zip(*table, strict=True))
        # What there is to be said of a row may all stand further up.
        yield from _lines([row for index, row in enumerate(rows) if not number or not index or any(row[1:])])


def width_of(columns: Sequence[Cells]) -> int:
    """The columns that a table of them all takes."""
    return sum(map(_width, columns)) + GAP * (len(columns) - 1)


def _tables(columns: Sequence[Cells], width: int) -> Iterator[list[Cells]]:
    first, *others = columns
    table = [first]
    for column in others:
        if len(table) > 1 and width_of([*table, column]) > width:
            yield table
            table = [first]
        table.append(column)
    yield table


def _lines(rows: Sequence[Sequence[Text]]) -> Iterator[Text]:
    widths = [_width(column) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.split("\n") for cell in row]
        height = max(map(len, cells))
        for line in range(height):
            # What is shorter than its row stands at the bottom: a head right above its column.
            shown = [lines[line - height] if line >= height - len(lines) else Text() for lines in cells]
            yield _line(shown, widths)


def _line(cells: Sequence[Text], widths: Sequence[int]) -> Text:
    line = Text()
    for cell, width in zip(cells, widths, strict=True):
        line.append_text(cell)
        line.append(" " * (width - cell.cell_len + GAP))
    line.rstrip()
    return line


def _width(column: Cells) -> int:
    return max(line.cell_len for cell in column for line in cell.split("\n"))
