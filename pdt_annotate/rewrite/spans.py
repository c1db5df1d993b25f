"""Where the nodes of a parsed file stand in its bytes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import libcst as cst
from libcst.metadata import ByteSpanPositionProvider, CodeSpan, MetadataWrapper

from pdt_annotate.source.comments import Comments
from pdt_annotate.source.text import Text

_LONE_RETURN = re.compile(r"\r(?!\n)")
_RECURSION_LIMIT = 100_000


@dataclass(frozen=True)
class Spans:
    """The span of every node of one file; a node's own parentheses count, its white space does not."""

    text: Text
    module: cst.Module
    nodes: Mapping[cst.CSTNode, CodeSpan]
    comments: Comments

    def start(self, node: cst.CSTNode) -> int:
        """The offset of the node's first byte."""
        return self.nodes[_outermost(node, "lpar", 0)].start

    def end(self, node: cst.CSTNode) -> int:
        """The offset behind the node's last byte."""
        span = self.nodes[_outermost(node, "rpar", -1)]
        return min(span.start + span.length, len(self.text.body))

    def line(self, node: cst.CSTNode) -> int:
        """The number of the line that the node begins on."""
        return self.text.line(self.start(node))

    def source(self, node: cst.CSTNode) -> str:
        """The node as written."""
        return self.text.body[self.start(node) : self.end(node)].decode()

    def first(self, node: cst.FunctionDef | cst.ClassDef) -> int:
        """The offset of the first decorator, of the definition itself where there is none."""
        return self.start(node.decorators[0] if node.decorators else node)

    def line_end(self, line: cst.SimpleStatementLine | cst.SimpleStatementSuite) -> int:
        """The offset behind the newline that ends a statement's line."""
        return self.end(line.trailing_whitespace.newline)

    def header_end(self, suite: cst.BaseSuite) -> int:
        """The offset behind the newline that ends the line of a definition's colon."""
        if isinstance(suite, cst.IndentedBlock):
            return self.end(suite.header.newline)
        assert isinstance(suite, cst.SimpleStatementSuite)
        return self.line_end(suite)


def _outermost(node: cst.CSTNode, side: str, index: int) -> cst.CSTNode:
    parentheses = getattr(node, side, ())
    return parentheses[index] if parentheses and isinstance(node, cst.BaseExpression) else node


def parse(text: Text, comments: Comments) -> Spans:
    """Parse a file and find where its nodes stand; its comments are known.

    Raises:
        libcst.ParserSyntaxError: the text is no Python.
        UnicodeError: the nodes do not stand where the parser says, so no offset can be trusted.
    """
    source = _LONE_RETURN.sub("\n", text.body.decode())  # libcst drops the last one; no offset moves
    module = cst.parse_module(source)
    with _deep_recursion():
        nodes = MetadataWrapper(module, unsafe_skip_copy=True).resolve(ByteSpanPositionProvider)
    if not all(_stands_there(text, node, span) for node, span in nodes.items() if isinstance(node, cst.Name)):
        raise UnicodeError("the parser does not reproduce the file byte for byte")
    return Spans(text, module, nodes, comments)


def _stands_there(text: Text, node: cst.Name, span: CodeSpan) -> bool:
    return text.body.startswith(node.value.encode(), span.start)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Room for libcst's recursion, one level for each part of a string written over thousands of lines."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
