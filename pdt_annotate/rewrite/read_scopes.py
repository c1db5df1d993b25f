"""A `def` as `FunctionPlace` and a `class` as `ClassPlace`: the places for annotations in them, and the assignments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import takewhile

from pdt_annotate.rewrite.outline import (
    Assignment,
    ClassPlace,
    FunctionPlace,
    LinePlace,
    Member,
    ParameterPlace,
    TablePlace,
)
from pdt_annotate.rewrite.spans import Line, Spans
from pdt_annotate.source import definitions
from pdt_annotate.source.comments import TYPE
from pdt_annotate.source.module import Namespace
from pdt_annotate.source.scopes import Statement, bindings, parameters
from pdt_annotate.source.syntax import dotted_name

_EQUALS = re.compile(rb"(?P<before>(?:[\s\\]|#[^\r\n]*)*)=(?P<after>[\s\\#]?)")
_COLON = re.compile(rb"[\s\\)]*:[\s\\]*")
_CLOSING = re.compile(rb"(?:(?:[\s\\]|#[^\r\n]*)*\))*")


def read_def(spans: Spans, known: definitions.Function, space: Namespace) -> FunctionPlace:
    node = known.node
    return FunctionPlace(
        known=known,
        offset=spans.start(node),
        parameters=tuple(_parameters(spans, node)),
        close=spans.header_close(node),
        assignments=tuple(read_assignments(spans, space.statements)),
        rebound=frozenset(space.rebound),
        shadows=space.shadows,
    )


def read_assignments(spans: Spans, items: Iterable[Statement]) -> Iterator[Assignment]:
    """The assignments to one name or attribute, annotated or not; `(x) = v` and `x = y = v` take no annotation."""
    target: ast.expr
    for node in (item.node for item in items):
        if isinstance(node, ast.AnnAssign):
            target, annotated = node.target, True
        elif isinstance(node, ast.Assign) and len(node.targets) == 1:
            target, annotated = node.targets[0], False
        else:
            continue
        name = dotted_name(target)
        if name and (annotated or spans.start(target) == spans.start(node)):
            inside = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            commented = any(each.line in inside and TYPE.search(each.text) for each in spans.known.comments.all)
            yield Assignment(name, target.lineno, spans.end(target), annotated, commented)


def _parameters(spans: Spans, node: definitions.Definition) -> Iterator[ParameterPlace]:
    defaults = definitions.defaults_of(node)
    for each in parameters(node):
        end, starred = spans.end(each), each in (node.args.vararg, node.args.kwarg)
        equals = _EQUALS.match(spans.text.body, end) if each.arg in defaults else None
        spaces = ((end, equals["before"]), (equals.end(), equals["after"])) if equals else ()
        missing = tuple(offset for offset, space in spaces if not space)
        yield ParameterPlace(each.arg, end, each.annotation is not None, starred, missing)


def read_class(spans: Spans, known: definitions.Class, items: Sequence[Statement], outer: frozenset[str]) -> ClassPlace:
    """The class; `items` are the statements of its body, `outer` the names that functions around it bind."""
    return ClassPlace(
        known=known,
        offset=spans.start(known.node),
        place=_read_place(spans, known.node),
        assignments=tuple(read_assignments(spans, items)),
        members=tuple(_members(spans, items)),
        table=next(_tables(spans, items), None),
        bound=tuple((name, spans.end(item.node)) for item in items for name, _ in bindings(item.node)),
        outer=outer,
    )


def _members(spans: Spans, items: Iterable[Statement]) -> Iterator[Member]:
    for node in (item.node for item in items):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            mentions = (part.id for part in ast.walk(node.annotation) if isinstance(part, ast.Name))
            colon = _COLON.match(spans.text.body, spans.end(node.target))
            start = colon.end() if colon else spans.start(node.annotation)
            written = spans.text.body[start : _closing(spans, node.annotation)].decode()  # with its parentheses
            yield Member(node.target.id, written, frozenset(mentions))


def _closing(spans: Spans, node: ast.expr) -> int:
    """The offset after an expression and the parentheses that close after it."""
    found = _CLOSING.match(spans.text.body, spans.end(node))
    return found.end() if found else spans.end(node)


def _tables(spans: Spans, items: Iterable[Statement]) -> Iterator[TablePlace]:
    for node in (item.node for item in items):
        is_table = "__annotations__" in dict(bindings(node))
        if is_table and isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            table = node.value
            keys = frozenset(str(key.value) for key in table.keys if isinstance(key, ast.Constant))
            offset = _closing(spans, table.values[-1]) if table.values else spans.start(table) + len("{")
            yield TablePlace(keys, offset, ", " if table.values else "")


def _read_place(spans: Spans, node: ast.ClassDef) -> LinePlace:
    """Whole lines in an indented body: a blank line after the docstring, one before a method."""
    text, offset = spans.text, spans.header_end(node)
    if offset == spans.start(node.body[0]):
        return LinePlace(spans.end(node.body[-1]))
    lines = spans.lines(node.body)
    docstring = lines[0] if ast.get_docstring(node, clean=False) is not None else None
    leading = lines[1:] if docstring else lines
    # Under the future import the assignment of `__annotations__` must come after all annotations to hold them all.
    known = filter(_is_annotated, lines) if spans.known.future_annotations else takewhile(_is_annotated, leading)
    anchor = max(known, key=lines.index, default=docstring)
    offset = spans.line_end(anchor) if anchor else offset
    following = (each for each in node.body if text.line_start(definitions.opening_line(text, each)) >= offset)
    return LinePlace(
        offset,
        newline=text.newline_before(offset),
        indent=text.indent(spans.start(node.body[0])),
        open_ended=offset not in text.starts,
        blank_before=anchor is docstring is not None,
        blanks_after=isinstance(next(following, None), definitions.Scope) and not text.is_blank(offset),
    )


def _is_annotated(line: Line) -> bool:
    return isinstance(line[0], ast.AnnAssign)
