"""Source bytes as UTF-8 text and back, edits of it, and its syntax tree. Bytes outside the edits do not change."""

import ast
import codecs
import contextlib
import io
import re
import threading
import tokenize
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from pdt_annotate.values.edits import Edit
from pdt_annotate.values.slots import Place

NEWLINES = ("\r\n", "\n", "\r")  # the line ends of Python; not a form feed, nor Unicode's own separators

NEWLINE = re.compile("|".join(NEWLINES))
_NEWLINE = re.compile(NEWLINE.pattern.encode())
_WINDOWS = re.compile(r"CP(125\d)")
_SPACE = r"(?:\s|\\(?:\r\n|\n|\r))+"
_HEAD = re.compile(rf"(?:async{_SPACE})?(?:def|class){_SPACE}".encode())
_NAME = re.compile(rb"[^\s\\(\[:]+")


# The nodes with offsets; parentheses around them do not count.
Placed = ast.stmt | ast.expr | ast.excepthandler | ast.pattern | ast.arg | ast.alias | ast.keyword


@dataclass(frozen=True)
class Span:
    """A part of a file: lines and columns from 1, columns in characters, the end exclusive; 0 is not known."""

    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0


@dataclass(frozen=True)
class Text:
    """A source file without its byte-order mark, in UTF-8, and how to turn it back into the file's own bytes.

    `starts` has the offset of each line's first byte, and the end of a body that ends with a newline.
    """

    body: bytes
    encoding: str = "utf-8"
    mark: bytes = b""
    starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", (0, *(match.end() for match in _NEWLINE.finditer(self.body))))

    @cached_property
    def newline(self) -> str:
        """The first newline of the file, or "\\n"."""
        match = _NEWLINE.search(self.body)
        return match.group().decode() if match else "\n"

    @property
    def last_line(self) -> int:
        """The number of the last line; there is no line after the last newline."""
        return max(1, bisect_left(self.starts, len(self.body)))

    def line(self, offset: int) -> int:
        """The number of the line, from 1, that holds the byte."""
        return bisect_right(self.starts, offset)

    def line_start(self, line: int) -> int:
        """The offset of the line's first byte; the end of the body for lines after the last."""
        return self.starts[line - 1] if line <= len(self.starts) else len(self.body)

    def line_bytes(self, offset: int) -> bytes:
        line = self.line(offset)
        return self.body[self.line_start(line) : self.line_start(line + 1)]

    def is_blank(self, offset: int) -> bool:
        """Whether the line that holds the byte has only white space, or the body ends there."""
        return offset >= len(self.body) or not self.line_bytes(offset).strip()

    def newline_before(self, offset: int) -> str:
        """The newline that ends at the byte; the file's newline if none does."""
        return next((each for each in NEWLINES if self.body.endswith(each.encode(), 0, offset)), self.newline)

    def indent(self, offset: int) -> str:
        line = self.line_bytes(offset)
        return line[: len(line) - len(line.lstrip(b" \t\f"))].decode()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines as Python counts them, without their ends."""
        return tuple(line.decode() for line in self.body.splitlines())

    @property
    def charset(self) -> str:
        """The encoding by its IANA name."""
        return _WINDOWS.sub(r"windows-\1", self.encoding.upper())

    def offset(self, line: int, column: int) -> int:
        """The byte at a line and a column, both from 1; after the last line the end of the body."""
        start = self.line_start(line)
        return start + len(self.body[start : self.line_start(line + 1)].decode()[: column - 1].encode())

    def span(self, start: int, end: int) -> Span:
        """The span of the bytes. A place after the last newline is on the last line (SARIF 3.30.2, example 8)."""
        first, last = self.place("", start), self.place("", end)
        return Span(first.line, first.column, last.line, last.column)

    def name_start(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
        start = self.start(node)
        head = _HEAD.match(self.body, start)
        return head.end() if head else start

    def name_end(self, start: int) -> int:
        """The end of the name that begins at a byte, as written; names in trees are in NFKC, and may be longer."""
        name = _NAME.match(self.body, start)
        return name.end() if name else start

    def start(self, node: Placed) -> int:
        return self.line_start(node.lineno) + node.col_offset

    def end(self, node: Placed) -> int:
        return self.line_start(node.end_lineno or node.lineno) + (node.end_col_offset or node.col_offset)

    def place(self, file: str, offset: int) -> Place:
        line = min(self.line(offset), self.last_line)
        return Place(file, line, 1 + len(self.body[self.line_start(line) : offset].decode()))

    def edited(self, edits: Iterable[Edit], start: int, end: int) -> bytes:
        pieces, last = [], start
        for edit in sorted(edits, key=lambda each: each.offset):
            pieces += [self.body[last : edit.offset], edit.text.encode()]
            last = max(last, edit.end)
        return b"".join((*pieces, self.body[last:end]))

    def edit(self, edits: Iterable[Edit]) -> bytes:
        body = self.edited(edits, 0, len(self.body))
        return self.mark + (body if self.encoding == "utf-8" else body.decode().encode(self.encoding))


def decode(source: bytes) -> Text:
    """Read a file's bytes as Python does: byte-order mark, then coding cookie, then UTF-8.

    Raises SyntaxError if the cookie names no known encoding, or contradicts the mark; and UnicodeError if the bytes are
    not in the encoding, or encoding the text would change them.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    if encoding == "utf-8-sig":
        source, mark, encoding = source.removeprefix(codecs.BOM_UTF8), codecs.BOM_UTF8, "utf-8"
    else:
        mark = b""
    try:
        text = source.decode(encoding)
    except LookupError:  # Python's codec of that name does not decode bytes to text
        raise SyntaxError(f"encoding problem: {encoding} is not a text encoding") from None
    if text.encode(encoding) != source:
        raise UnicodeError(f"the encoding {encoding!r} does not give back the bytes it was decoded from")
    return Text(text.encode(), encoding, mark)


TOO_DEEP = "nested too deeply"
_parsing = threading.RLock()


def parse_module(source: bytes | str, file: str = "<unknown>") -> ast.Module:
    """The tree of a source. Raises SyntaxError, on some Pythons ValueError for a NUL."""
    with only_syntax_errors():
        return ast.parse(source, filename=file)


def parse_expression(text: str) -> ast.expr:
    with only_syntax_errors():
        return ast.parse(text, mode="eval").body


@contextlib.contextmanager
def only_syntax_errors() -> Iterator[None]:
    """Ignore warnings, which `-W error` would raise, and raise `SyntaxError` for code that is nested too deeply.

    One thread at a time: Python counts the depth of a tree in one place for all threads, and raises if they mix.
    """
    try:
        with _parsing, warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the process that imports the file shows them
            yield
    except (RecursionError, MemoryError) as error:
        raise SyntaxError(TOO_DEEP) from error
