"""Line breaks in the signatures that annotations make too long, where black and `ruff format` put them.

    def f(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
→   def f(
        self, x: Tensor, mask: Optional[Tensor] = None
    ) -> Tensor:
→   def f(
        self,
        x: Tensor,
        mask: Optional[Tensor] = None,
    ) -> Tensor:

The second if the parameters fit on one line. Another layout stays, with more lines.
"""

from __future__ import annotations

import re
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from pdt_annotate.rewrite.outline import FunctionPlace, Outline
from pdt_annotate.rewrite.widths import EditedText, width
from pdt_annotate.source.text import NEWLINES, Text
from pdt_annotate.values.edits import Edit

_WHITE = b" \t\f"
_NEWLINE = re.compile("|".join(NEWLINES))
_STEP = "    "


def wrap_signatures(outline: Outline, edits: Iterable[Edit], limit: int) -> Iterator[Edit]:
    """The edits that break the signatures which these edits make longer than the limit."""
    edits = tuple(edits)
    edited, owners = EditedText(outline.text, edits), {edit.owner for edit in edits}
    for function in outline.functions.values():
        if function.known.owner in owners:
            breaks = _wrap(edited, function, limit)
            yield from (replace(each, owner=function.known.owner) for each in breaks)


def _wrap(edited: EditedText, function: FunctionPlace, limit: int) -> Iterator[Edit]:
    text = edited.text
    lines = range(text.line(function.offset), text.line(function.close) + 1)
    grown = [line for line in lines if edited.outgrows(line, limit)]
    signature = read_signature(text, function) if grown else None
    if signature is None:
        return
    if len(lines) == 1:
        fits = _fits_inside(edited, function, signature, limit)
        yield _break(text, signature.open, signature.inner)
        yield from [_break(text, signature.end, signature.outer)] if fits else _spread(text, signature, signature.outer)
        return
    places = (signature.open, signature.first, signature.end, signature.close)
    opened, first, last, closed = map(text.line, places)
    # All parameters are on one line of their own.
    if opened + 1 == first == last == closed - 1 and not signature.has_comments:
        yield from _spread(text, signature, "")
    else:
        for line in grown:
            yield from _fill(edited, signature, line, lines, limit)


def _fits_inside(edited: EditedText, function: FunctionPlace, signature: Signature, limit: int) -> bool:
    """Whether all parameters go on one line: several, the last without a comma.

    Not if only a comment makes the line too long: ruff does not count every comment that black does, and both leave one
    parameter a line unchanged.
    """
    inside = edited.between(signature.open, signature.close + 1)[:-1].strip()
    header = edited.between(edited.text.line_start(edited.text.line(function.offset)), function.close + 1)
    several = len(signature.commas) > 0 and not signature.ends_with_comma
    return several and width(signature.indent + signature.step + inside) <= limit < width(header)


def _spread(text: Text, signature: Signature, close: str) -> Iterator[Edit]:
    """One parameter a line, with a comma after the last."""
    yield from (_break(text, comma, signature.inner) for comma in signature.commas if comma != signature.end)
    yield _break(text, signature.end, close if signature.ends_with_comma else f",{close}")


def _fill(edited: EditedText, signature: Signature, line: int, lines: range, limit: int) -> Iterator[Edit]:
    """Break a line of a longer signature before it gets too long, with the indent of its other lines."""
    text, end = edited.text, edited.text.line_start(line + 1)
    # The commas with another parameter on the same line.
    rests = ((comma, text.body[comma:end].strip()) for comma in signature.commas if text.line(comma) == line)
    cuts = [comma for comma, rest in rests if rest != b"" and rest[:1] not in b"#)\\"]
    indent = _indent_below(text, line, lines)
    if not cuts or indent is None:
        return
    used = width(edited.between(text.line_start(line), cuts[0]))
    for cut, following in pairwise((*cuts, end)):
        piece = edited.between(cut, following).rstrip("\r\n")
        if used + width(piece) > limit:
            yield _break(text, cut, signature.newline + indent)
            used, piece = width(indent), piece.lstrip()
        used += width(piece)


def _indent_below(text: Text, line: int, lines: range) -> str | None:
    """The indent of the parameters below a line; None if no parameters follow."""
    below = text.line_start(line + 1)
    if line + 1 in lines and not text.line_bytes(below).lstrip().startswith(b")"):
        return text.indent(below)
    return text.indent(text.line_start(line)) if line != lines[0] else None


def _break(text: Text, offset: int, by: str) -> Edit:
    rest = text.line_bytes(offset)[offset - text.line_start(text.line(offset)) :]
    return Edit(offset, by, removed=len(rest) - len(rest.lstrip(_WHITE)))


@dataclass(frozen=True)
class Signature:
    """The offsets at which a signature can be broken, and the text of a break."""

    open: int  # after the opening parenthesis
    first: int  # of the first parameter
    commas: tuple[int, ...]  # after each comma between parameters, and after the last
    end: int  # after the last token before the closing parenthesis
    close: int  # of the closing parenthesis
    has_comments: bool
    indent: str  # before the `def`
    step: str  # the further indent of a parameter on a line of its own
    newline: str

    @property
    def inner(self) -> str:
        return f"{self.outer}{self.step}"

    @property
    def outer(self) -> str:
        return f"{self.newline}{self.indent}"

    @property
    def ends_with_comma(self) -> bool:
        return self.end in self.commas


@dataclass(frozen=True)
class _Token:
    """A token, its offsets in the text, and the depth of brackets around it."""

    kind: int
    text: str
    start: int
    end: int
    depth: int


def read_signature(text: Text, function: FunctionPlace) -> Signature | None:
    """The span between the parentheses of a function; None if it is empty."""
    tokens = list(_tokens(text, function))
    outer = [index for index, each in enumerate(tokens) if each.depth == 0 and each.text in ("(", ")")]
    inside = [each for each in tokens[outer[0] + 1 : outer[1]] if each.kind != tokenize.COMMENT]
    if not inside:
        return None
    indent = text.indent(function.offset)
    body_indent = text.indent(text.line_start(function.known.node.body[0].lineno))
    return Signature(
        open=tokens[outer[0]].end,
        first=inside[0].start,
        commas=tuple(_commas(inside)),
        end=inside[-1].end,
        close=tokens[outer[1]].start,
        has_comments=len(inside) < outer[1] - outer[0] - 1,
        indent=indent,
        step=body_indent.removeprefix(indent) or _STEP,
        newline=text.newline_before(text.line_start(text.line(function.offset) + 1)),
    )


def _commas(inside: Iterable[_Token]) -> Iterator[int]:
    """The commas between parameters, without the ones of a lambda default."""
    lambdas = 0
    for token in inside:
        if token.text == "lambda":
            lambdas += 1
        elif token.depth == 1 and token.text == ":" and lambdas:
            lambdas -= 1
        elif token.depth == 1 and token.text == "," and not lambdas:
            yield token.end


def _tokens(text: Text, function: FunctionPlace) -> Iterator[_Token]:
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
