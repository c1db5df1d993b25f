"""How long the lines of a file are, how long they become, and how long they may be."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from pdt_annotate.rewrite.outline import Outline
from pdt_annotate.source.text import Text
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.style import Style

USUAL, MOST = 88, 120
"""Where nothing says how long a line may be: what black takes, and what a file with longer lines is held to."""

_TAB = 4


def line_limit(outline: Outline, style: Style) -> int:
    """The most columns that a line of ours may take: as the project says, else as the file's code keeps to."""
    if style.line_length:
        return style.line_length
    unquoted = (line for number, line in enumerate(outline.text.lines, 1) if number not in outline.quoted)
    return min(MOST, max((USUAL, *(width(line) for line in unquoted if not line.lstrip().startswith("#")))))


def width(line: str) -> int:
    """The columns of a line, where wide characters take two."""
    if line.isascii() and "\t" not in line:
        return len(line)
    return sum(map(_columns, line.expandtabs(_TAB)))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


class EditedText:
    """A text with edits that are about to be made in it.

    Args:
        text: as it is.
        edits: what is about to be changed.
    """

    def __init__(self, text: Text, edits: Iterable[Edit]) -> None:
        self.text = text
        self._edits = tuple(edits)

    def between(self, start: int, end: int) -> str:
        """What becomes of the bytes from one offset to another, with what is put in front of each."""
        inside = (each for each in self._edits if start <= each.offset < end)
        return self.text.edited(inside, start, end).decode()

    def line(self, number: int) -> str:
        """What becomes of a line, without its end."""
        return self.between(*self._bounds(number)).rstrip("\r\n")

    def outgrows(self, number: int, limit: int) -> bool:
        """Whether a line gets too long that was not."""
        before = self.text.body[slice(*self._bounds(number))].decode().rstrip("\r\n")
        return width(before) <= limit < width(self.line(number))

    def _bounds(self, number: int) -> tuple[int, int]:
        return self.text.line_start(number), self.text.line_start(number + 1)
