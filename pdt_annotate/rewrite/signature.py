"""Where the signature of a `def` can be broken into lines."""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pdt_annotate.rewrite.outline import FunctionPlace
from pdt_annotate.source.text import NEWLINES, Text

_NEWLINE = re.compile("|".join(NEWLINES))
_NAMED = (tokenize.OP, tokenize.NAME, tokenize.NUMBER, tokenize.STRING)
_STEP = "    "


@dataclass(frozen=True)
class Signature:
    """The offsets at which a signature can be broken, and what comes behind a break.

    Args:
        open: behind the opening parenthesis.
        first: of the first parameter.
        commas: behind each comma between parameters, and behind the last.
        end: behind what stands last in front of the closing parenthesis.
        close: of that.
        has_comments: a comment stands inside.
        indent: the white space in front of the `def`.
        step: what a parameter on a line of its own is indented by beyond that.
        newline: how the lines end.
    """

    open: int
    first: int
    commas: tuple[int, ...]
    end: int
    close: int
    has_comments: bool
    indent: str
    step: str
    newline: str

    @property
    def inner(self) -> str:
        """The break in front of a parameter."""
        return f"{self.outer}{self.step}"

    @property
    def outer(self) -> str:
        """The break in front of the closing parenthesis."""
        return f"{self.newline}{self.indent}"

    @property
    def ends_with_comma(self) -> bool:
        return self.end in self.commas


@dataclass(frozen=True)
class _Token:
    """A token, its offsets in the text, and in how many brackets it stands."""

    kind: int
    text: str
    start: int
    end: int
    depth: int


def read_signature(text: Text, function: FunctionPlace) -> Signature | None:
    """What is between the parentheses of a function; None where that is nothing."""
    tokens = list(_tokens(text, function))
    outer = [index for index, each in enumerate(tokens) if each.depth == 0 and each.text in ("(", ")")]
    inside = [each for each in tokens[outer[0] + 1 : outer[1]] if each.kind != tokenize.COMMENT]
    if not inside:
        return None
    indent = text.indent(function.offset)
    return Signature(
        open=tokens[outer[0]].end,
        first=inside[0].start,
        commas=tuple(_commas(inside)),
        end=inside[-1].end,
        close=tokens[outer[1]].start,
        has_comments=len(inside) < outer[1] - outer[0] - 1,
        indent=indent,
        step=_body_indent(text, function).removeprefix(indent) or _STEP,
        newline=text.newline_before(text.line_start(text.line(function.offset) + 1)),
    )


def _body_indent(text: Text, function: FunctionPlace) -> str:
    """The white space that begins the line of the body's first statement."""
    return text.indent(text.line_start(function.known.node.body[0].lineno))


def _commas(inside: Iterable[_Token]) -> Iterator[int]:
    """Those between the parameters, and not those of a lambda that is a default."""
    lambdas = 0
    for token in inside:
        if token.text == "lambda":
            lambdas += 1
        elif token.depth == 1 and token.text == ":" and lambdas:
            lambdas -= 1
        elif token.depth == 1 and token.text == "," and not lambdas:
            yield token.end


def _tokens(text: Text, function: FunctionPlace) -> Iterator[_Token]:
    """The tokens of all that stands in front of a function's colon."""
    rows = _NEWLINE.split(text.body[function.offset : function.close].decode())
    first, depth = text.line(function.offset), 0
    starts = [function.offset, *(text.line_start(first + number) for number in range(1, len(rows)))]

    def offset(place: tuple[int, int]) -> int:
        row, column = place
        return starts[row - 1] + len(rows[row - 1][:column].encode())

    for kind, string, start, end, _ in tokenize.generate_tokens(iter([f"{row}\n" for row in rows]).__next__):
        if kind == tokenize.COMMENT or string.strip():
            depth -= string in (")", "]", "}")
            yield _Token(kind, string, offset(start), offset(end), depth)
            depth += string in ("(", "[", "{")
