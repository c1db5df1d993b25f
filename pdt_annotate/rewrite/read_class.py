"""A `class` and the places for annotations in its body, as `ClassPlace`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from pdt_annotate.rewrite.outline import ClassPlace, LinePlace, Member, TablePlace
from pdt_annotate.rewrite.read_def import read_assignments
from pdt_annotate.rewrite.spans import Line, Spans
from pdt_annotate.rewrite.statements import Statement, bound_names
from pdt_annotate.source import survey

_TABLE = "__annotations__"
_COLON = re.compile(rb"[\s\\)]*:[\s\\]*")
_CLOSING = re.compile(rb"(?:(?:[\s\\]|#[^\r\n]*)*\))*")


def read_class(spans: Spans, known: survey.Class, items: Sequence[Statement], outer: frozenset[str]) -> ClassPlace:
    """The class; `items` are the statements of its body, `known` is what the survey says of it."""
    return ClassPlace(
        known=known,
        offset=spans.start(known.node),
        place=_read_place(spans, known.node),
        assignments=tuple(read_assignments(spans, items)),
        members=tuple(_members(spans, items)),
        table=next(_tables(spans, items), None),
        bound=tuple((name, spans.end(item.node)) for item in items for name in bound_names(item.node)),
        outer=outer,
    )


def _members(spans: Spans, items: Iterable[Statement]) -> Iterator[Member]:
    for node in (item.node for item in items):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            mentions = (part.id for part in ast.walk(node.annotation) if isinstance(part, ast.Name))
            yield Member(node.target.id, _written(spans, node), frozenset(mentions))


def _written(spans: Spans, node: ast.AnnAssign) -> str:
    """The annotation with its parentheses."""
    colon = _COLON.match(spans.text.body, spans.end(node.target))
    start = colon.end() if colon else spans.start(node.annotation)
    return spans.text.body[start : _closing(spans, node.annotation)].decode()


def _closing(spans: Spans, node: ast.expr) -> int:
    """The offset behind an expression and the parentheses that close behind it."""
    found = _CLOSING.match(spans.text.body, spans.end(node))
    return found.end() if found else spans.end(node)


def _tables(spans: Spans, items: Iterable[Statement]) -> Iterator[TablePlace]:
    for node in (item.node for item in items):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict) and _TABLE in bound_names(node):
            table = node.value
            keys = frozenset(str(key.value) for key in table.keys if isinstance(key, ast.Constant))
            offset = _closing(spans, table.values[-1]) if table.values else spans.start(table) + len("{")
            yield TablePlace(keys, offset, ", " if table.values else "")


def _read_place(spans: Spans, node: ast.ClassDef) -> LinePlace:
    """Whole lines in an indented body: a blank line behind the docstring, one in front of a method."""
    text, offset = spans.text, spans.header_end(node)
    if offset == spans.start(node.body[0]):
        return LinePlace(spans.end(node.body[-1]))
    lines = spans.lines(node.body)
    docstring = lines[0] if ast.get_docstring(node, clean=False) is not None else None
    leading = lines[1:] if docstring else lines
    # What assigns `__annotations__`, under the future import, must come behind all annotations to hold them all.
    known = filter(_is_annotated, lines) if spans.known.future_annotations else takewhile(_is_annotated, leading)
    anchor = max(known, key=lines.index, default=docstring)
    offset = spans.line_end(anchor) if anchor else offset
    following = (each for each in node.body if text.line_start(survey.opening_line(text, each)) >= offset)
    return LinePlace(
        offset,
        newline=text.newline_before(offset),
        indent=text.indent(spans.start(node.body[0])),
        open_ended=not text.is_line_start(offset),
        blank_before=anchor is docstring is not None,
        blanks_after=isinstance(next(following, None), survey.Scope) and not text.is_blank(offset),
    )


def _is_annotated(line: Line) -> bool:
    return isinstance(line[0], ast.AnnAssign)
