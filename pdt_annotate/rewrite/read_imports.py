"""The imports that a file begins with, and the place for more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile

import libcst as cst

from pdt_annotate.rewrite.outline import FromImport, ImportedSpan, LinePlace, NameBinding
from pdt_annotate.rewrite.spans import Spans
from pdt_annotate.rewrite.statements import DefinitionNode, Statement, dotted, from_module, inner_statements

_IMPORT = (cst.Import, cst.ImportFrom)
_FUTURE = "__future__"
_COMMENT = re.compile(rb"[ \t\f]*#")
_HEAD = re.compile(rb"#!|[ \t\f]*#[^\r\n]*coding[:=]")


def read_stars(spans: Spans, top: Sequence[Statement]) -> tuple[NameBinding, ...]:
    """The star-imports, with their modules as targets."""
    return tuple(
        NameBinding("*", from_module(item.node), spans.end(item.node), item.reach)
        for item in top
        if isinstance(item.node, cst.ImportFrom) and isinstance(item.node.names, cst.ImportStar)
    )


def read_loaded(spans: Spans, top: Sequence[Statement]) -> tuple[NameBinding, ...]:
    """Each `a.b.c` that an `import a.b.c` makes reachable through the name `a`."""
    return tuple(
        NameBinding(dotted(alias.name), dotted(alias.name), spans.end(item.node), item.reach)
        for item in top
        if isinstance(item.node, cst.Import)
        for alias in item.node.names
        if alias.asname is None
    )


def read_from_imports(spans: Spans) -> tuple[FromImport, ...]:
    """The from-imports in front of every definition: a name added to one of them holds in all the file."""
    return tuple(
        _from_import(spans, node, node.names)
        for line in _import_lines(spans.module)
        for node in line.body
        if isinstance(node, cst.ImportFrom) and not isinstance(node.names, cst.ImportStar)
        if from_module(node) != _FUTURE
    )


def _from_import(spans: Spans, node: cst.ImportFrom, aliases: Sequence[cst.ImportAlias]) -> FromImport:
    text = spans.text
    names = tuple(_imported(spans, alias) for alias in aliases)
    lines = [spans.line(node), *(text.line(each.start) for each in names)]
    if node.lpar is None or len(set(lines)) < len(lines):
        return FromImport(from_module(node), names, separator=", ", row=None)
    below, indent = text.line_start(lines[-1] + 1), text.indent(names[-1].start)
    newline = text.newline_before(below)
    ends_line = isinstance(aliases[-1].comma, cst.Comma) and spans.line(node.rpar or node) > lines[-1]
    row = LinePlace(below, newline=newline, indent=indent) if ends_line else None
    return FromImport(from_module(node), names, separator=f",{newline}{indent}", row=row)


def read_import_place(spans: Spans) -> LinePlace:
    """Behind the last import in front of every definition, else behind the docstring, else at the top."""
    lines = list(_import_lines(spans.module))
    if lines and not _is_future(lines[-1]):
        return _place(spans, spans.line_end(lines[-1]), alone=False)
    anchor = lines[-1] if lines else spans.module.body[0] if spans.module.get_docstring() is not None else None
    if isinstance(anchor, cst.SimpleStatementLine):
        return _place(spans, spans.line_end(anchor), alone=True, blank_before=True)
    return _place(spans, _top(spans), alone=True)


def _import_lines(module: cst.Module) -> Iterator[cst.SimpleStatementLine]:
    """The lines with imports that run at every import of the file, before it defines anything."""
    for node in takewhile(lambda each: not _defines(each), module.body):
        if isinstance(node, cst.SimpleStatementLine) and any(isinstance(small, _IMPORT) for small in node.body):
            yield node


def _defines(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.SimpleStatementLine):
        return False
    return isinstance(node, DefinitionNode) or any(
        isinstance(each.node, DefinitionNode) for each in inner_statements(node)
    )


def _is_future(line: cst.SimpleStatementLine) -> bool:
    return any(isinstance(small, cst.ImportFrom) and from_module(small) == _FUTURE for small in line.body)


def _imported(spans: Spans, alias: cst.ImportAlias) -> ImportedSpan:
    bound = dotted(alias.asname.name) if alias.asname else dotted(alias.name)
    end = spans.end(alias.asname.name if alias.asname else alias.name)
    return ImportedSpan(dotted(alias.name), bound, spans.start(alias.name), end)


def _place(spans: Spans, offset: int, *, alone: bool, blank_before: bool = False) -> LinePlace:
    """Whole lines at the offset. Where they are `alone`, with no other import beside them, they are set off."""
    text = spans.text
    return LinePlace(
        offset,
        newline=text.newline_before(offset),
        open_ended=not text.is_line_start(offset),
        blank_before=blank_before,
        blanks_after=_blank_lines(spans, offset) if alone and not text.is_blank(offset) else 0,
    )


def _blank_lines(spans: Spans, offset: int) -> int:
    """How many blank lines PEP 8 wants in front of what follows."""
    following = next((each for each in spans.module.body if spans.end(each) > offset), None)
    if isinstance(following, DefinitionNode):
        return 2
    is_import = isinstance(following, cst.SimpleStatementLine) and isinstance(following.body[0], _IMPORT)
    return 0 if is_import else 1


def _top(spans: Spans) -> int:
    """Below the interpreter line, the coding cookie and the file's own comments, above those of the first statement."""
    text, body = spans.text, spans.module.body
    if not body:
        return len(text.body)
    first = body[0]
    line = text.line(spans.first(first) if isinstance(first, cst.FunctionDef | cst.ClassDef) else spans.start(first))
    while line > 1 and _COMMENT.match(text.body, text.line_start(line - 1)):
        line -= 1
    while line <= 2 and _HEAD.match(text.body, text.line_start(line)):
        line += 1
    offset = text.line_start(line)
    return offset if text.body[:offset].strip() else 0
