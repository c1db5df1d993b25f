"""The offsets of the nodes of a parsed file; the statements of one scope, and the names that they bind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pdt_annotate.source.definitions import Scope
from pdt_annotate.source.module import Module
from pdt_annotate.source.scopes import parameters
from pdt_annotate.source.text import Placed, Text

Line = list[ast.stmt]  # the statements that share a line

_SEMICOLON = re.compile(rb"(?:[ \t\f;]|\\(?:\r\n|\r|\n))*")
_REST_OF_LINE = re.compile(_SEMICOLON.pattern + rb"(?:#[^\r\n]*)?(?:\r\n|\r|\n)?")
_TO_COLON = re.compile(rb"(?:[^:#]|#[^\r\n]*)*")
_WHITE = b" \t\f\r\n\\"


@dataclass(frozen=True)
class Spans:
    """The bytes of a file, and its module."""

    text: Text
    known: Module

    def start(self, node: Placed) -> int:
        """The offset of the node's first byte; of a definition, without its decorators."""
        return self.text.line_start(node.lineno) + node.col_offset

    def end(self, node: Placed) -> int:
        return self.text.end(node)

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
        """The offset after the newline that ends the line."""
        return self._rest_of_line(self.end(line[-1]))

    def header_close(self, node: Scope) -> int:
        """The offset after the last byte before a definition's colon."""
        head = self.text.body[: self._colon(node)]
        return len(head.rstrip(_WHITE))

    def header_end(self, node: Scope) -> int:
        """The offset after the newline that ends a definition's header; if the body is on that line, of the body."""
        return self._rest_of_line(self._colon(node) + 1)

    def _rest_of_line(self, offset: int) -> int:
        found = _REST_OF_LINE.match(self.text.body, offset)
        return found.end() if found else offset

    def _colon(self, node: Scope) -> int:
        # The parts of a header that may have colons of their own.
        parts: list[Any] = list(getattr(node, "type_params", ()))
        if isinstance(node, ast.ClassDef):
            parts += [*node.bases, *node.keywords]
        else:
            parts += [*parameters(node), *node.args.defaults, *node.args.kw_defaults, node.returns]
        last = max(map(self.end, filter(None, parts)), default=self.start(node))
        found = _TO_COLON.match(self.text.body, last)
        return found.end() if found else last


def from_module(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")
