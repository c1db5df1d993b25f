"""Which characters of Python source are what, for a reader's eye: pygments' tokens by classes of the style sheet."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby

from pygments.lexers.python import PythonLexer
from pygments.token import Token

KINDS = (
    (Token.Comment, "comment"),
    (Token.Literal.String, "string"),
    (Token.Literal.Number, "number"),
    (Token.Keyword, "keyword"),
    (Token.Operator.Word, "keyword"),
    (Token.Name.Function, "name"),
    (Token.Name.Class, "name"),
    (Token.Name.Decorator, "decorator"),
    (Token.Name.Builtin.Pseudo, ""),  # `self` is a name like another
    (Token.Name.Builtin, "builtin"),
    (Token.Name.Exception, "builtin"),
)


@dataclass(frozen=True)
class Span:
    """Columns of one line, in characters, and what they are: a class of the style sheet."""

    start: int
    end: int
    kind: str


def highlight(text: str) -> dict[int, list[Span]]:
    """The spans of each line, numbered from 1, in order; plain text and what is no Python has none."""
    lines: dict[int, list[Span]] = defaultdict(list)
    line, column = 1, 0
    tokens = ((_kind(type_), value) for _, type_, value in PythonLexer().get_tokens_unprocessed(text))
    for kind, run in groupby(tokens, key=lambda token: token[0]):
        for index, piece in enumerate("".join(value for _, value in run).split("\n")):
            line, column = (line + 1, 0) if index else (line, column)
            if kind and piece:
                lines[line].append(Span(column, column + len(piece), kind))
            column += len(piece)
    return lines


def _kind(type_: object) -> str:
    return next((kind for known, kind in KINDS if type_ in known), "")
