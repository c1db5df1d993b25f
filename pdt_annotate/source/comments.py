"""The comments `# pdt: skip`, `# pdt: skip-file`, `# pdt: ignore[PDT037]` and `# type:` (PEP 484), and their code."""

from __future__ import annotations

import functools
import io
import re
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.findings.selection import read_selectors
from pdt_annotate.values.places import Place

MARKED = re.compile(r"#\s*(pdt|type):")
SKIP = re.compile(r"#\s*pdt:\s*skip(?![\w-])")
SKIP_FILE = re.compile(r"#\s*pdt:\s*skip-file\b")
IGNORE = re.compile(r"#\s*pdt:\s*ignore(?![\w-])\s*(?P<codes>\[[^\]]*\]?)?")
TYPE = re.compile(r"#\s*type:\s*(?!ignore\b)\S")

# The compiler looks for the same: torch/jit/annotations.py, get_type_line.
SIGNATURE = re.compile(r"# type:\s*\(")
RETURN_OF_SEVERAL = "# type: (...) -> "

_BETWEEN = (tokenize.NL, tokenize.INDENT, tokenize.DEDENT)


@dataclass(frozen=True)
class Comment:
    """A comment: whether it is alone on its line, and the line on which the statement around it begins, else 0."""

    text: str
    line: int
    column: int
    alone: bool
    statement: int

    def place_in(self, file: str) -> Place:
        return Place(file, self.line, self.column)

    @property
    def why_closed(self) -> str:
        """Why a comment that keeps annotations out of a header has no use."""
        return f"the compiler takes `{self.text}` for its signature, and cannot read it"


@dataclass(frozen=True)
class IgnoreComment:
    """`# pdt: ignore[PDT037, PDT10]`: prefixes of codes, ("",) for all, on its line, or on the line below if alone."""

    comment: Comment
    selectors: tuple[str, ...]

    @property
    def line(self) -> int:
        return self.comment.line + self.comment.alone


@dataclass(frozen=True)
class Comments:
    """The comments of a file, in source order; empty if no comment could matter."""

    all: tuple[Comment, ...]

    @functools.cached_property
    def skip_file(self) -> bool:
        return any(SKIP_FILE.search(comment.text) for comment in self.all)

    @property
    def ignores(self) -> tuple[IgnoreComment, ...]:
        found = [(comment, match["codes"]) for comment in self.all if (match := IGNORE.search(comment.text))]
        return tuple(
            IgnoreComment(comment, ("",) if codes is None else read_selectors(codes.strip("[]")))
            for comment, codes in found
        )

    def skip(self, first: int, head: int) -> bool:
        """Whether `# pdt: skip` is in the header, from the first decorator to the line `head`, or alone above it."""
        above = (comment for comment in self.all if comment.alone and comment.line == first - 1)
        return any(SKIP.search(comment.text) for comment in (*self._header(first, head), *above))

    def type_comments(self, first: int, head: int, body: int) -> tuple[Comment, ...]:
        """The `# type:` comments in a header, and alone in front of the line with the body's first statement."""
        below = (comment for comment in self.all if not comment.statement and head < comment.line < body)
        return tuple(comment for comment in (*self._header(first, head), *below) if TYPE.search(comment.text))

    def has_type(self, first: int, last: int) -> bool:
        return any(TYPE.search(comment.text) for comment in self.all if first <= comment.line <= last)

    def _header(self, first: int, head: int) -> Iterator[Comment]:
        return (each for each in self.all if first <= each.line and (each.statement or each.line) <= head)


def is_read(signature: Sequence[Comment]) -> bool:
    """Whether the compiler reads the comments of one header, and does not take them for an error.

    It reads one alone on its line, or one for each parameter and `# type: (...) -> T` alone on the last line.
    """
    last = signature[-1]
    is_whole = len(signature) == 1 or RETURN_OF_SEVERAL in last.text
    return last.alone and is_whole and SIGNATURE.match(last.text) is not None


def read_comments(source: str) -> Comments:
    """The comments of a file that parses, from the tokenizer, so that no string is taken for one."""
    found: list[Comment] = []
    statement = code = 0  # the first line of the open statement, and the last line with code
    for token in tokenize.generate_tokens(io.StringIO(source).readline) if MARKED.search(source) else ():
        line = token.start[0]
        if token.type == tokenize.COMMENT:
            found.append(Comment(token.string, line, 1 + token.start[1], line != code, statement))
        elif token.type == tokenize.NEWLINE:
            statement = 0
        elif token.type not in _BETWEEN:
            statement, code = statement or line, token.end[0]
    return Comments(tuple(found))
