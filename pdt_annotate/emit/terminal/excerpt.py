"""A line of code with its number, and a caret below the column that is meant."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len, chop_cells
from rich.text import Text

from pdt_annotate.values.places import Place

CUT = "…"

BEFORE = 20
"""Columns of a line that are kept before the caret, where its beginning is cut."""


def excerpt(line: str, place: Place, width: int) -> Iterator[Text]:
    """The line and its caret, no wider than that, without its indentation; nothing where there is no line.

    >>> for each in excerpt("    try:\\n", Place("m.py", 17, 5), 80):
    ...     print(each)
        17 | try:
           | ^
    """
    line = line.replace("\t", " ")
    if not line.strip():
        return
    number = f"{place.line:>6} | "
    before = line[: place.column - 1].lstrip() if place.column else ""
    shown, at = _window(line.strip(), cell_len(before), max(width - len(number), 2 * BEFORE))
    yield Text(f"{number}{shown}", no_wrap=True)
    if place.column:
        yield Text.assemble(f"{' ' * (len(number) - 2)}| {' ' * at}", ("^", "red"), no_wrap=True)


def _window(text: str, at: int, width: int) -> tuple[str, int]:
    """As much of a text as there is room for, with the column in it, and where that is then."""
    if cell_len(text) > width and at > width - BEFORE:
        dropped = len(chop_cells(text, at - BEFORE)[0])
        text, at = f"{CUT}{text[dropped:]}", BEFORE + len(CUT)
    if cell_len(text) > width:
        text = f"{chop_cells(text, width - len(CUT))[0]}{CUT}"
    return text, at
