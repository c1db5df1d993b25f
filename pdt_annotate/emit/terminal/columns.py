"""Columns of text as lines: as many in a table as fit, the others in tables below, with the first column again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table
from rich.text import Text

from pdt_annotate.emit.terminal.console import laid_out

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
    first, *others = columns
    tables = [[first]]
    for column in others:
        if len(tables[-1]) > 1 and width_of([*tables[-1], column]) > width:
            tables.append([first])
        tables[-1].append(column)
    for number, table in enumerate(tables):
        head, *rows = zip(*table, strict=True)
        if number:
            yield Text()
            # A row of which all was said in the tables above is not repeated.
            rows = [row for row in rows if any(row[1:])]
        yield from laid_out(table_of([head, *rows]))


def table_of(rows: Sequence[Sequence[Text]]) -> Table:
    """Rows as a table without lines; what is shorter than its row is at the bottom: a head right above its column."""
    table = Table(box=None, show_header=False, show_edge=False, pad_edge=False, padding=(0, GAP, 0, 0))
    for _ in rows[0]:
        table.add_column(no_wrap=True, vertical="bottom")
    for row in rows:
        table.add_row(*row)
    return table


def width_of(columns: Sequence[Cells]) -> int:
    """The columns that a table of them all takes."""
    return sum(max(line.cell_len for cell in each for line in cell.split("\n")) for each in columns) + GAP * (
        len(columns) - 1
    )
