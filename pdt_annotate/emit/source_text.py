"""Source bytes as text, with lines and columns as SARIF (3.30.2) and editors count them."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_right
from dataclasses import dataclass

NEWLINES = ("\r\n", "\n", "\r")
"""What ends a line of Python. A form feed, or Unicode's own separators, do not."""

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_WINDOWS = re.compile(r"CP(125\d)")
_HEAD = re.compile(r"(?:async\s+)?(?:def|class)\s+(?P<name>\w+)")


@dataclass(frozen=True)
class Span:
    """A part of a file: lines and columns from 1, columns in UTF-16 code units, the end exclusive; 0 is not known."""

    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0


NOWHERE = Span()


class SourceText:
    """One source file as text. A byte order mark is no part of it."""

    def __init__(self, source: bytes) -> None:
        self._encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        self.text = source.decode(self._encoding)
        self._starts = [match.start() for match in _LINE.finditer(self.text)] or [0]

    @property
    def charset(self) -> str:
        """The encoding by its IANA name."""
        name = self._encoding.removesuffix("-sig").upper()
        return _WINDOWS.sub(r"windows-\1", name)

    def span(self, start: int, end: int) -> Span:
        """Where the characters from one offset to another stand.

        Behind the last newline there is no line: that place is named by the last line (SARIF 3.30.2, example 8).
        """
        return Span(*self._position(start), *self._position(end))

    def line_start(self, line: int) -> int:
        return self._starts[line - 1]

    def offset(self, line: int, column: int) -> int:
        """The offset of a place as `ast` gives it: a line from 1, and UTF-8 bytes from 0."""
        start = self.line_start(line)
        stop = self._starts[line] if line < len(self._starts) else len(self.text)
        return start + len(self.text[start:stop].encode()[:column].decode())

    def name_span(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Span:
        """Where the name of a definition stands; its line alone where the name is on another one."""
        head = _HEAD.match(self.text, self.offset(node.lineno, node.col_offset))
        return self.span(head.start("name"), head.end("name")) if head else Span(node.lineno)

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        before = self.text[self._starts[line - 1] : offset]
        return line, 1 + len(before.encode("utf-16-le")) // 2


def split_lines(text: str) -> list[str]:
    """The lines with their ends."""
    return _LINE.findall(text)


def read_lines(source: bytes) -> list[str]:
    """The lines as Python counts them, without their ends; behind the last end there is no line."""
    return [line.rstrip("\r\n") for line in split_lines(SourceText(source).text)]
