"""The imports at the top of a file, and the place for more."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from pdt_annotate.rewrite.outline import FromImport, ImportedSpan, ImportLine, LinePlace
from pdt_annotate.rewrite.spans import Line, Spans, from_module
from pdt_annotate.source.definitions import Scope, opening_line
from pdt_annotate.source.scopes import statements

_IMPORT = ast.Import | ast.ImportFrom
_COMMENT = re.compile(rb"[ \t\f]*#")
_COMMA = re.compile(rb"(?:[\s\\]|#[^\r\n]*)*,")
_HEAD = re.compile(rb"#!|[ \t\f]*#[^\r\n]*coding[:=]")


def read_from_imports(spans: Spans) -> tuple[FromImport, ...]:
    """The from-imports before every definition: a name added to one of them holds in all the file."""
    return tuple(
        _from_import(spans, node)
        for line in _import_lines(spans)
        for node in line
        if isinstance(node, ast.ImportFrom) and node.names[0].name != "*" and node.module != "__future__"
    )


def _from_import(spans: Spans, node: ast.ImportFrom) -> FromImport:
    text, module = spans.text, from_module(node)
    names = tuple(
        ImportedSpan(each.name, spans.start(each), spans.end(each), each.asname is not None) for each in node.names
    )
    lines = [node.lineno, *(each.lineno for each in node.names)]
    if not text.body.endswith(b")", 0, spans.end(node)):
        line = spans.text.line_bytes(spans.start(node)).rstrip(b"\r\n")
        whole = spans.text.body[spans.start(node) : spans.end(node)]
        return FromImport(module, names, separator=", ", row=None, line=node.lineno if line == whole else 0)
    if len(set(lines)) < len(lines):
        return FromImport(module, names, separator=", ", row=None)
    below, indent = text.line_start(lines[-1] + 1), text.indent(names[-1].start)
    newline = text.newline_before(below)
    ends_line = _COMMA.match(text.body, names[-1].end) and node.end_lineno != lines[-1]
    row = LinePlace(below, newline=newline, indent=indent) if ends_line else None
    return FromImport(module, names, separator=f",{newline}{indent}", row=row)


def read_import_lines(spans: Spans) -> Iterator[ImportLine]:
    """The lines that begin with an import, before every definition."""
    body, block = spans.lines(spans.known.tree.body), 0
    for line in _import_lines(spans):
        node, index = line[0], body.index(line)
        block += index > 0 and not isinstance(body[index - 1][-1], _IMPORT)
        if isinstance(node, _IMPORT):
            start = spans.text.line_start(node.lineno)
            above = _above(spans, node.lineno)
            yield ImportLine(
                module=from_module(node) if isinstance(node, ast.ImportFrom) else node.names[0].name,
                name=node.names[0].name if isinstance(node, ast.ImportFrom) else "",
                above=_place(spans, _above(spans, node.lineno), alone=False),
                front=_place(spans, start, alone=False),
                behind=_place(spans, spans.line_end(line), alone=False),
                block=block,
                is_apart=above > 0 and spans.text.is_blank(above - 1),
            )


def _above(spans: Spans, line: int) -> int:
    """The offset above the comments over a line, unless the file begins with them."""
    first = line
    while first > 1 and _COMMENT.match(spans.text.body, spans.text.line_start(first - 1)):
        first -= 1
    return spans.text.line_start(line if first == 1 else first)


def read_import_place(spans: Spans) -> LinePlace:
    """The place in a file without other imports: after those from the future, else the docstring, else the top."""
    tree = spans.known.tree
    lines = list(_import_lines(spans))
    if not lines and ast.get_docstring(tree, clean=False) is not None:
        lines = spans.lines(tree.body)[:1]
    if lines:
        return _place(spans, spans.line_end(lines[-1]), alone=True, blank_before=True)
    return _place(spans, _top(spans), alone=True)


def _import_lines(spans: Spans) -> Iterator[Line]:
    """The lines with imports that run at every import of the file, before it defines anything."""
    for line in spans.lines(spans.known.tree.body):
        if any(isinstance(item.node, Scope) for item in statements(line)):
            return
        if any(isinstance(node, _IMPORT) for node in line):
            yield line


def _place(spans: Spans, offset: int, *, alone: bool, blank_before: bool = False) -> LinePlace:
    """Whole lines at the offset; `alone`, without other imports, they get the blank lines of PEP 8 after them."""
    text = spans.text
    following = next((each for each in spans.known.tree.body if spans.end(each) > offset), None)
    blanks = 2 if isinstance(following, Scope) else 0 if isinstance(following, _IMPORT) else 1
    return LinePlace(
        offset,
        newline=text.newline_before(offset),
        open_ended=offset not in text.starts,
        blank_before=blank_before,
        blanks_after=blanks if alone and not text.is_blank(offset) else 0,
    )


def _top(spans: Spans) -> int:
    """The offset below the interpreter line, the coding cookie and the file's comments."""
    text, body = spans.text, spans.known.tree.body
    if not body:
        return len(text.body)
    line = opening_line(text, body[0])
    while line > 1 and _COMMENT.match(text.body, text.line_start(line - 1)):
        line -= 1
    while line <= 2 and _HEAD.match(text.body, text.line_start(line)):
        line += 1
    offset = text.line_start(line)
    return offset if text.body[:offset].strip() else 0
