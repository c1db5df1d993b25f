"""Lines no wider than a terminal, broken between words alone: never inside a name, a path, a type or quoted code."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rich.cells import cell_len
from rich.text import Text

HANG = 2
"""Columns that the rest of a line stands further in."""

LONGEST = 60
"""Columns of a type with blanks that are kept together; what is longer is broken at them, unless it is quoted code."""

WORD = re.compile(r"\S+\s*")


def wrap(line: Text, width: int) -> Iterator[Text]:
    """The lines that one becomes; a word that is wider stands alone, in full. What is marked `no_wrap` stays one line.

    Args:
        line: may begin with blanks, below which the rest stands, and may hold several lines.
        width: in columns.
    """
    for each in line.split("\n", allow_blank=True):
        each.no_wrap = line.no_wrap
        yield from _wrap(each, width)


def _wrap(line: Text, width: int) -> Iterator[Text]:
    plain = line.plain
    hang = len(plain) - len(plain.lstrip()) + HANG
    first, *rest = line.divide([] if line.no_wrap else list(breaks(plain, width, hang)))
    yield from (_stripped(each) for each in (first, *(Text(" " * hang).append_text(each) for each in rest)))


def wrap_text(text: str, width: int) -> str:
    """The same of text without styles."""
    return "\n".join(line.plain for line in wrap(Text(text), width))


def breaks(text: str, width: int, hang: int) -> Iterator[int]:
    """Where lines begin in a text, but for the first."""
    used = 0
    for start, piece in _pieces(text):
        if used and used + cell_len(piece.rstrip()) > width and text[:start].strip():
            yield start
            used = hang
        used += cell_len(piece)


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """What is kept together, and where it begins: words, and all between backquotes or square brackets."""
    start, end = 0, len(text) - len(text.lstrip())
    for word in WORD.finditer(text):
        end = word.end()
        piece = text[start:end]
        if _is_whole(piece):
            yield from [(start, piece)] if "`" in piece or len(piece) <= LONGEST else _words(text, start, end)
            start = end
    yield from _words(text, start, end)


def _words(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    return ((word.start(), word[0]) for word in WORD.finditer(text, start, end))


def _is_whole(piece: str) -> bool:
    return piece.count("`") % 2 == 0 and piece.count("[") <= piece.count("]")


def _stripped(line: Text) -> Text:
    line.rstrip()
    return line
