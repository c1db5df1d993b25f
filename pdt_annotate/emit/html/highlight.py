"""Which characters of Python source are what, for a reader's eye; the tokenizer knows more than an eye needs."""

from __future__ import annotations

import builtins
import io
import keyword
import token
import tokenize
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_KINDS = {token.STRING: "string", token.COMMENT: "comment", token.NUMBER: "number"}

_TOLD = {"def": "name", "class": "name", "decorator": "decorator"}
"""By what stands before a name, the `@` of a decorator by that word."""

_LINE_ENDS = frozenset({token.NEWLINE, token.NL, token.INDENT, token.DEDENT, token.ENCODING})
"""What stands between a line and the next, so that an `@` behind it begins a decorator."""

_STRING_STARTS = frozenset(getattr(token, name, -1) for name in ("FSTRING_START", "TSTRING_START"))
_STRING_ENDS = frozenset(getattr(token, name, -1) for name in ("FSTRING_END", "TSTRING_END"))
"""From Python 3.12 on an f-string is many tokens; to the eye it stays one string."""


@dataclass(frozen=True)
class Span:
    """Columns of one line, in characters, and what they are: a class of the style sheet."""

    start: int
    end: int
    kind: str


def highlight(text: str) -> dict[int, list[Span]]:
    """The spans of each line, numbered from 1, in order. What follows a place that is no Python has none."""
    lines: dict[int, list[Span]] = defaultdict(list)
    widths = [len(line) for line in text.split("\n")]
    for kind, (row, column), (last, end) in _stretches(_tokens(text)):
        for line in range(row, last + 1):
            start, stop = column if line == row else 0, end if line == last else widths[line - 1]
            lines[line].append(Span(start, stop, kind))
    return lines


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    try:
        yield from tokenize.generate_tokens(io.StringIO(text).readline)
    except (tokenize.TokenError, SyntaxError):
        return


Stretch = tuple[str, tuple[int, int], tuple[int, int]]
"""A kind, and where it begins and ends: (line, column)."""


def _stretches(tokens: Iterable[tokenize.TokenInfo]) -> Iterator[Stretch]:
    depth, begin, before = 0, (0, 0), ""
    at_start = True
    for each in tokens:
        if each.type in _STRING_STARTS:
            begin = begin if depth else each.start
            depth += 1
        elif each.type in _STRING_ENDS:
            depth -= 1
            if not depth:
                yield "string", begin, each.end
        elif not depth and (kind := _kind(each, before)):
            yield kind, each.start, each.end
        before = "decorator" if each.string == "@" and at_start else each.string
        at_start = each.type in _LINE_ENDS


def _kind(each: tokenize.TokenInfo, before: str) -> str:
    """What a token is, told by the one before it where its own text does not; "" for plain text."""
    if each.type != token.NAME:
        return _KINDS.get(each.type, "")
    if keyword.iskeyword(each.string):
        return "keyword"
    if before in _TOLD:
        return _TOLD[before]
    return "builtin" if before != "." and hasattr(builtins, each.string) else ""
