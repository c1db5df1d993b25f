"""The widths of lines before and after edits, and their limit."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from pdt_annotate.rewrite.outline import Outline
from pdt_annotate.source.text import Text
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.style import Style

USUAL, MOST = 88, 120  # the least and the greatest limit if the project has none; black's is 88


def line_limit(outline: Outline, style: Style) -> int:
    """The greatest width of a new line: the project's limit, else the width of the file's code."""
    if style.line_length:
        return style.line_length
    unquoted = (line for number, line in enumerate(outline.text.lines, 1) if number not in outline.quoted)
    return min(MOST, max((USUAL, *(width(line) for line in unquoted if not line.lstrip().startswith("#")))))


def width(line: str) -> int:
    """The columns of a line; wide characters take two."""
    if line.isascii() and "\t" not in line:
        return len(line)
    characters = [each for each in line.expandtabs(4) if not unicodedata.combining(each)]
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in characters)


class EditedText:
    """A text, and the edits that are about to be made in it."""

    def __init__(self, text: Text, edits: Iterable[Edit]) -> None:
        self.text = text
        self._edits = tuple(edits)

    def between(self, start: int, end: int) -> str:
        inside = (each for each in self._edits if start <= each.offset < end)
        return self.text.edited(inside, start, end).decode()

    def line(self, number: int) -> str:
        return self.between(*self._bounds(number)).rstrip("\r\n")

    def outgrows(self, number: int, limit: int) -> bool:
        """Whether a line gets too long that was not."""
        before = self.text.body[slice(*self._bounds(number))].decode().rstrip("\r\n")
        return width(before) <= limit < width(self.line(number))

    def _bounds(self, number: int) -> tuple[int, int]:
        return self.text.line_start(number), self.text.line_start(number + 1)
