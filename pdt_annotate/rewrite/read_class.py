"""A `class` and the places for annotations in its body, as `Class`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import libcst as cst

from pdt_annotate.rewrite.outline import Class, Member, Place, Table
from pdt_annotate.rewrite.read_def import read_assignments
from pdt_annotate.rewrite.spans import Spans
from pdt_annotate.rewrite.statements import Definition, Statement, bound_names, names_in
from pdt_annotate.source import survey

_TABLE = "__annotations__"


def read_class(
    spans: Spans,
    node: cst.ClassDef,
    items: Sequence[Statement],
    known: survey.Class,
    outer: frozenset[str],
    *,
    future: bool,
) -> Class:
    """The class; `items` are the statements of its body, `known` is what the survey says of it, `future` that its
    annotations stay strings."""
    return Class(
        known=known,
        offset=spans.start(node),
        place=_read_place(spans, node.body, future=future),
        assignments=tuple(read_assignments(spans, items)),
        members=tuple(_members(spans, items)),
        table=next(_tables(spans, items), None),
        bound=tuple((name, spans.end(item.node)) for item in items for name in bound_names(item.node)),
        outer=outer,
    )


def _members(spans: Spans, items: Iterable[Statement]) -> Iterator[Member]:
    for item in items:
        if isinstance(item.node, cst.AnnAssign):
            annotation = item.node.annotation.annotation
            mentions = _Mentions()
            annotation.visit(mentions)
            for name in names_in([item.node.target]):
                yield Member(name, spans.source(annotation), frozenset(mentions.names))


class _Mentions(cst.CSTVisitor):
    """Collects the names that evaluating an expression looks up: `t` of `t.List[int]`."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_Name(self, node: cst.Name) -> None:
        self.names.add(node.value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False


def _tables(spans: Spans, items: Iterable[Statement]) -> Iterator[Table]:
    for item in items:
        node = item.node
        if not isinstance(node, cst.Assign) or not isinstance(node.value, cst.Dict):
            continue
        if _TABLE in names_in(target.target for target in node.targets):
            elements = node.value.elements
            offset = spans.end(elements[-1].value if elements else node.value.lbrace)
            yield Table(frozenset(_keys(elements)), offset, ", " if elements else "")


def _keys(elements: Sequence[cst.BaseDictElement]) -> Iterator[str]:
    for element in elements:
        if isinstance(element, cst.DictElement) and isinstance(element.key, cst.SimpleString):
            yield str(element.key.evaluated_value)


def _read_place(spans: Spans, body: cst.BaseSuite, *, future: bool) -> Place:
    if isinstance(body, cst.SimpleStatementSuite):
        return Place(spans.end(body.body[-1]))
    assert isinstance(body, cst.IndentedBlock)
    lines = [each for each in body.body if isinstance(each, cst.SimpleStatementLine)]
    docstring = lines[0] if lines and lines[0] is body.body[0] and _is_docstring(lines[0]) else None
    leading = body.body[1 if docstring else 0 :]
    annotated = _last_annotated(lines) if future else _last_leading(leading)
    anchor = annotated or docstring
    offset = spans.line_end(anchor) if anchor else spans.header_end(body)
    indent = spans.text.indent(spans.start(_first_token(body.body[0])))
    following = next((each for each in body.body if spans.start(_first_token(each)) >= offset), None)
    return _block_place(spans, offset, indent, after_docstring=anchor is docstring is not None, following=following)


def _block_place(
    spans: Spans, offset: int, indent: str, *, after_docstring: bool, following: cst.CSTNode | None
) -> Place:
    """Whole lines in an indented body: a blank line behind the docstring, one in front of a method."""
    return Place(
        offset,
        newline=spans.text.newline_before(offset),
        indent=indent,
        open_ended=not spans.text.is_line_start(offset),
        blank_before=after_docstring,
        blanks_after=isinstance(following, Definition) and not spans.text.is_blank(offset),
    )


def _first_token(node: cst.CSTNode) -> cst.CSTNode:
    return node.decorators[0] if isinstance(node, cst.FunctionDef | cst.ClassDef) and node.decorators else node


def _is_docstring(line: cst.SimpleStatementLine) -> bool:
    first = line.body[0]
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString | cst.ConcatenatedString)


def _is_annotated(line: cst.CSTNode) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], cst.AnnAssign)


def _last_leading(body: Sequence[cst.CSTNode]) -> cst.SimpleStatementLine | None:
    """The last of the annotations that the body begins with."""
    last = None
    for each in body:
        if not isinstance(each, cst.SimpleStatementLine) or not _is_annotated(each):
            break
        last = each
    return last


def _last_annotated(lines: Sequence[cst.SimpleStatementLine]) -> cst.SimpleStatementLine | None:
    """The last annotation of the body: what assigns `__annotations__` must come behind them all to hold them all."""
    return next((each for each in reversed(lines) if _is_annotated(each)), None)
