"""Where the nodes of a parsed file stand in its bytes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pdt_annotate.source.survey import Definition, Scope, Survey
from pdt_annotate.source.text import Text

Placed = ast.stmt | ast.expr | ast.excepthandler | ast.pattern | ast.arg | ast.alias | ast.keyword
"""The nodes that know where they stand; parentheses around them do not count."""

Line = list[ast.stmt]
"""The statements that share a line."""

_SEMICOLON = re.compile(rb"(?:[ \t\f;]|\\(?:\r\n|\r|\n))*")
_REST_OF_LINE = re.compile(_SEMICOLON.pattern + rb"(?:#[^\r\n]*)?(?:\r\n|\r|\n)?")
_TO_COLON = re.compile(rb"(?:[^:#]|#[^\r\n]*)*")
_WHITE = b" \t\f\r\n\\"


@dataclass(frozen=True)
class Spans:
    """The bytes of a file, and what the survey says of it."""

    text: Text
    known: Survey

    def start(self, node: Placed) -> int:
        """The offset of the node's first byte; of a definition, that behind its decorators."""
        return self.text.line_start(node.lineno) + node.col_offset

    def end(self, node: Placed) -> int:
        """The offset behind the node's last byte."""
        return self.text.line_start(node.end_lineno or node.lineno) + (node.end_col_offset or node.col_offset)

    def lines(self, body: Iterable[ast.stmt]) -> list[Line]:
        """The statements of a body, line by line."""
        lines: list[Line] = []
        for node in body:
            if lines and _SEMICOLON.fullmatch(self.text.body, self.end(lines[-1][-1]), self.start(node)):
                lines[-1].append(node)
            else:
                lines.append([node])
        return lines

    def line_end(self, line: Line) -> int:
        """The offset behind the newline that ends the line."""
        return self._rest_of_line(self.end(line[-1]))

    def header_close(self, node: Scope) -> int:
        """The offset behind all that stands in front of a definition's colon."""
        head = self.text.body[: self._colon(node)]
        return len(head.rstrip(_WHITE))

    def header_end(self, node: Scope) -> int:
        """The offset behind the newline that ends the line of a definition's colon; where its body stands on that line,
        of the body."""
        return self._rest_of_line(self._colon(node) + 1)

    def _rest_of_line(self, offset: int) -> int:
        found = _REST_OF_LINE.match(self.text.body, offset)
        return found.end() if found else offset

    def _colon(self, node: Scope) -> int:
        last = max(map(self.end, _header(node)), default=self.start(node))
        found = _TO_COLON.match(self.text.body, last)
        return found.end() if found else last


def _header(node: Scope) -> Iterator[Placed]:
    """What may have colons of its own in a header."""
    yield from getattr(node, "type_params", ())
    if isinstance(node, ast.ClassDef):
        yield from node.bases
        yield from node.keywords
    else:
        yield from parameters(node)
        yield from filter(None, (*node.args.defaults, *node.args.kw_defaults, node.returns))


def parameters(node: Definition) -> Iterator[ast.arg]:
    """All parameters, starred ones too."""
    args = node.args
    yield from filter(None, (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg))
