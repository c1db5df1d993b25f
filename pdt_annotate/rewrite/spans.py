"""The offsets of the nodes of a parsed file; the statements of one scope, and the names that they bind."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pdt_annotate.rewrite.outline import Reach
from pdt_annotate.source.imports import dotted_name
from pdt_annotate.source.survey import Definition, Scope, Survey
from pdt_annotate.source.text import Text

# The nodes with offsets; parentheses around them do not count.
Placed = ast.stmt | ast.expr | ast.excepthandler | ast.pattern | ast.arg | ast.alias | ast.keyword
Line = list[ast.stmt]  # the statements that share a line

_SEMICOLON = re.compile(rb"(?:[ \t\f;]|\\(?:\r\n|\r|\n))*")
_REST_OF_LINE = re.compile(_SEMICOLON.pattern + rb"(?:#[^\r\n]*)?(?:\r\n|\r|\n)?")
_TO_COLON = re.compile(rb"(?:[^:#]|#[^\r\n]*)*")
_WHITE = b" \t\f\r\n\\"


@dataclass(frozen=True)
class Spans:
    """The bytes of a file, and its survey."""

    text: Text
    known: Survey

    def start(self, node: Placed) -> int:
        """The offset of the node's first byte; of a definition, without its decorators."""
        return self.text.line_start(node.lineno) + node.col_offset

    def end(self, node: Placed) -> int:
        """The offset after the node's last byte."""
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


def parameters(node: Definition) -> Iterator[ast.arg]:
    args = node.args
    yield from filter(None, (*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg))


_ARMS = ("body", "handlers", "cases", "orelse", "finalbody")


@dataclass(frozen=True, eq=False)
class Statement:
    """A statement, or a node that binds names for an arm of one: a handler (`except E as e`) or pattern (`case x`)."""

    node: ast.stmt | ast.excepthandler | ast.pattern
    reach: Reach


def statements(
    body: Iterable[ast.stmt | ast.excepthandler | ast.match_case], reach: Reach = Reach.ALWAYS
) -> Iterator[Statement]:
    """All statements of the scope, into every branch and loop, but into no other scope."""
    for node in body:
        yield Statement(node.pattern if isinstance(node, ast.match_case) else node, reach)
        if not isinstance(node, Scope):
            yield from inner_statements(node, reach)


def inner_statements(node: ast.AST, reach: Reach = Reach.ALWAYS) -> Iterator[Statement]:
    """All statements in the branches of a compound statement, with its arms that bind names."""
    body_reach, other_reach = _branch_reach(node)
    for arm in _ARMS:
        yield from statements(getattr(node, arm, ()), max(reach, body_reach if arm == "body" else other_reach))


def _branch_reach(node: ast.AST) -> tuple[Reach, Reach]:
    """When the statement's own body runs, and when its other arms do."""
    if isinstance(node, (ast.With, ast.AsyncWith, ast.ExceptHandler, ast.match_case)):
        return Reach.ALWAYS, Reach.ALWAYS
    if isinstance(node, ast.If):
        test, negated = node.test, False
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            test, negated = test.operand, True
        if dotted_name(test).rpartition(".")[2] == "TYPE_CHECKING":
            return (Reach.ALWAYS, Reach.TYPING) if negated else (Reach.TYPING, Reach.ALWAYS)
    return Reach.SOMETIMES, Reach.SOMETIMES


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds in its scope, with those of an import."""
    if isinstance(node, Scope):
        yield node.name
    elif isinstance(node, ast.ExceptHandler):
        yield from filter(None, [node.name])
    elif isinstance(node, ast.pattern):
        captured = (getattr(part, "name", None) or getattr(part, "rest", None) for part in ast.walk(node))
        yield from filter(None, captured)
    elif not (isinstance(node, ast.AnnAssign) and node.value is None):
        yield from _targets(node)
        yield from (name for name, _ in imported_names(node))


def _targets(node: ast.AST) -> Iterator[str]:
    """The names that are stored to, or deleted, by the statement itself."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store | ast.Del):
            yield child.id
        elif isinstance(child, ast.withitem | ast.Tuple | ast.List | ast.Starred):
            yield from _targets(child)


def imported_names(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, with the dotted name of its object; nothing for a star."""
    if isinstance(node, ast.ImportFrom):
        module = from_module(node)
        origin = module if module.endswith(".") else f"{module}."
        yield from ((each.asname or each.name, origin + each.name) for each in node.names if each.name != "*")
    elif isinstance(node, ast.Import):
        for each in node.names:
            top = each.name.partition(".")[0]
            yield (each.asname, each.name) if each.asname else (top, top)


def from_module(node: ast.ImportFrom) -> str:
    """The text between `from` and `import`."""
    return "." * node.level + (node.module or "")
