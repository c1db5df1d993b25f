"""Source bytes as UTF-8 text and back, and insertions into it: nothing that was there is ever written anew."""

from __future__ import annotations

import ast
import codecs
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

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


_NEWLINE = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True)
class Insertion:
    """Text to put in front of a byte of the UTF-8 body. Several at one offset keep their order."""

    offset: int
    text: str


@dataclass(frozen=True)
class Text:
    """A source file without its byte-order mark, in UTF-8, and how to turn it back into the file's own bytes."""

    body: bytes
    encoding: str = "utf-8"
    mark: bytes = b""
    starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", (0, *(match.end() for match in _NEWLINE.finditer(self.body))))

    @cached_property
    def newline(self) -> str:
        """The first newline of the file, "\\n" where there is none."""
        match = _NEWLINE.search(self.body)
        return match.group().decode() if match else "\n"

    def line(self, offset: int) -> int:
        """The number of the line, from 1, that holds the byte."""
        return bisect_right(self.starts, offset)

    def line_start(self, line: int) -> int:
        """The offset of the line's first byte, the end of the body behind the last line."""
        return self.starts[line - 1] if line <= len(self.starts) else len(self.body)

    def line_bytes(self, offset: int) -> bytes:
        """The whole line that holds the byte."""
        line = self.line(offset)
        return self.body[self.line_start(line) : self.line_start(line + 1)]

    def is_blank(self, offset: int) -> bool:
        """Whether the line that holds the byte has nothing but white space, or the body ends there."""
        return offset >= len(self.body) or not self.line_bytes(offset).strip()

    def is_line_start(self, offset: int) -> bool:
        """Whether a line begins at the byte, be it behind the last newline of the body."""
        return offset in (0, self.line_start(self.line(offset)))

    def newline_before(self, offset: int) -> str:
        """How the line that ends at the byte ends; the file's newline where it does not."""
        for newline in ("\r\n", "\n", "\r"):
            if self.body.endswith(newline.encode(), 0, offset):
                return newline
        return self.newline

    def indent(self, offset: int) -> str:
        """The white space that begins the line of the byte."""
        line = self.line_bytes(offset)
        return line[: len(line) - len(line.lstrip(b" \t\f"))].decode()

    def can_write(self, text: str) -> bool:
        """Whether the file's encoding has all the characters."""
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return False
        return True

    def insert(self, insertions: Iterable[Insertion]) -> bytes:
        """The file's bytes with the insertions made."""
        pieces, last = [], 0
        for insertion in sorted(insertions, key=lambda each: each.offset):
            pieces += [self.body[last : insertion.offset], insertion.text.encode()]
            last = insertion.offset
        body = b"".join((*pieces, self.body[last:]))
        return self.mark + (body if self.encoding == "utf-8" else body.decode().encode(self.encoding))


def decode(source: bytes) -> Text:
    """Read a file's bytes as Python does: byte-order mark, then coding cookie, then UTF-8.

    Raises:
        SyntaxError: the cookie names no known encoding, or contradicts the mark.
        UnicodeError: the bytes are not in the encoding, or would not come back from it as they are.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    if encoding == "utf-8-sig":
        source, mark, encoding = source.removeprefix(codecs.BOM_UTF8), codecs.BOM_UTF8, "utf-8"
    else:
        mark = b""
    text = source.decode(encoding)
    if text.encode(encoding) != source:
        raise UnicodeError(f"the encoding {encoding!r} does not give back the bytes it was decoded from")
    return Text(text.encode(), encoding, mark)
