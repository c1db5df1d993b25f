"""Source text as libcst nodes, and changed nodes as edits of the text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from pdt_annotate.rewrite.source_file import Piece, SourceFile
from pdt_annotate.source.definitions import Scope, opening_line
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.slots import Owner

NOTHING, SPACE = cst.SimpleWhitespace(""), cst.SimpleWhitespace(" ")

_PASS = cst.SimpleStatementSuite([cst.Pass()], leading_whitespace=NOTHING)
_WHITE = re.compile(rb"[ \t\f]*")
_BREAK = re.compile(rb"[,(]?[ \t\f\r\n]*")


@dataclass(frozen=True, eq=False)
class Header:
    """A function or class of a file as a node, without decorators, and with `pass` for its body."""

    module: cst.Module
    node: cst.FunctionDef | cst.ClassDef
    start: int

    def code(self, node: cst.FunctionDef | cst.ClassDef | None = None) -> str:
        """The text up to the colon."""
        return self.module.code_for_node((node or self.node).with_changes(body=_PASS)).rpartition("pass")[0]


@lru_cache(maxsize=1024)
def read_header(file: SourceFile, node: Scope) -> Header | None:
    """The header of a definition; None if libcst cannot parse it, or would write it in another way."""
    text, start, body = file.text, file.text.start(node), node.body[0]
    line = text.line_start(opening_line(text, body))
    end = text.start(body) if line == text.line_start(body.lineno) else line + len(text.indent(line))
    code = text.body[start:end].decode() + "pass"
    try:
        module = cst.parse_module(code)
    except (cst.ParserSyntaxError, RecursionError):
        return None
    found = module.body[0] if module.code == code else None
    return Header(module, found, start) if isinstance(found, cst.FunctionDef | cst.ClassDef) else None


def line_break(newline: str, indent: str) -> cst.ParenthesizedWhitespace:
    line = cst.TrailingWhitespace(newline=cst.Newline(value=newline))
    return cst.ParenthesizedWhitespace(first_line=line, last_line=cst.SimpleWhitespace(indent))


def find_edits(
    old: str, new: str, offset: int, added: Iterable[tuple[str, Piece]], owner: Owner | None = None
) -> Iterator[Edit]:
    """The edits that turn the text at an offset into the text of its changed node.

    `added` is the text that was added, in source order; otherwise only white space differs, and the commas before it.
    Raises ValueError if anything else differs.
    """
    before, after, pending = old.encode(), new.encode(), list(added)
    at, place = 0, 0
    while place < len(after):
        lead, (text, slot) = pending[0] if pending else ("", ("", None))
        whole = (lead + text).encode()
        if whole and after.startswith(whole, place) and not before.startswith(whole, at):
            yield from [Edit(offset + at, lead, owner)] if lead else []
            yield Edit(offset + at, text, owner, slot)
            place += len(whole)
            del pending[0]
        elif before[at : at + 1] == after[place : place + 1]:
            at, place = at + 1, place + 1
        else:
            gone = _WHITE.match(before, at).end()  # type: ignore[union-attr]
            end = _BREAK.match(after, place).end()  # type: ignore[union-attr]
            if before[gone : gone + 1] in (b"\r", b"\n") or at == len(before):
                end = place + 1 if at < len(before) else len(after)
            yield Edit(offset + at, after[place:end].decode(), owner, removed=gone - at)
            at, place = gone, end
    if pending or at < len(before):
        raise ValueError(f"{old!r} cannot become {new!r}")
