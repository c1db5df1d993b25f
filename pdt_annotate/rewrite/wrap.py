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

The second where the parameters fit on one line. One that was laid out in another way keeps that, with more lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise

from pdt_annotate.rewrite.outline import FunctionPlace, Outline
from pdt_annotate.rewrite.signature import Signature, read_signature
from pdt_annotate.rewrite.widths import EditedText, width
from pdt_annotate.source.text import Text
from pdt_annotate.values.edits import Edit

_WHITE = b" \t\f"


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
    elif _is_hugged(text, signature):
        yield from _spread(text, signature, "")
    else:
        for line in grown:
            yield from _fill(edited, signature, line, lines, limit)


def _fits_inside(edited: EditedText, function: FunctionPlace, signature: Signature, limit: int) -> bool:
    """Whether all parameters go on one line: several, the last without a comma.

    Where only a comment makes the line too long they do not, because ruff does not count every comment that black does;
    both leave one parameter a line as it is.
    """
    inside = edited.between(signature.open, signature.close + 1)[:-1].strip()
    header = edited.between(edited.text.line_start(edited.text.line(function.offset)), function.close + 1)
    several = len(signature.commas) > 0 and not signature.ends_with_comma
    return several and width(signature.indent + signature.step + inside) <= limit < width(header)


def _is_hugged(text: Text, signature: Signature) -> bool:
    """Whether the parameters stand on one line between those of the parentheses."""
    places = (signature.open, signature.first, signature.end, signature.close)
    opened, first, last, closed = map(text.line, places)
    return opened + 1 == first == last == closed - 1 and not signature.has_comments


def _spread(text: Text, signature: Signature, close: str) -> Iterator[Edit]:
    """One parameter a line, with a comma behind the last."""
    yield from (_break(text, comma, signature.inner) for comma in signature.commas if comma != signature.end)
    yield _break(text, signature.end, close if signature.ends_with_comma else f",{close}")


def _fill(edited: EditedText, signature: Signature, line: int, lines: range, limit: int) -> Iterator[Edit]:
    """Break a line of a longer signature where it gets too long, and go on below where its other lines begin."""
    text, end = edited.text, edited.text.line_start(line + 1)
    cuts = [each for each in signature.commas if text.line(each) == line and _goes_on(text, each)]
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


def _goes_on(text: Text, comma: int) -> bool:
    """Whether a parameter follows on the same line."""
    rest = text.body[comma : text.line_start(text.line(comma) + 1)].strip()
    return rest != b"" and rest[:1] not in b"#)\\"


def _indent_below(text: Text, line: int, lines: range) -> str | None:
    """How the parameters below a line are indented; None where there are none."""
    below = text.line_start(line + 1)
    if line + 1 in lines and not text.line_bytes(below).lstrip().startswith(b")"):
        return text.indent(below)
    return text.indent(text.line_start(line)) if line != lines[0] else None


def _break(text: Text, offset: int, by: str) -> Edit:
    """A break in place of the white space at the offset."""
    rest = text.line_bytes(offset)[offset - text.line_start(text.line(offset)) :]
    return Edit(offset, by, removed=len(rest) - len(rest.lstrip(_WHITE)))
