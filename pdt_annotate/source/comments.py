"""The comments `# pdt: skip`, `# pdt: skip-file`, `# pdt: ignore[PDT037]` and `# type:` (PEP 484), and their code."""

import functools
import io
import re
import tokenize
from dataclasses import dataclass

from pdt_annotate.findings.catalogue import read_selectors

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

    @property
    def why_closed(self) -> str:
        """Why a comment that keeps annotations out of a header has no use."""
        return f"the compiler interprets `{self.text}` as the signature, and cannot parse it"


@dataclass(frozen=True)
class IgnoreComment:
    """`# pdt: ignore[PDT037, PDT10]`: prefixes of codes, ("",) for all, on its line, or on the line below if alone."""

    comment: Comment
    line: int
    selectors: tuple[str, ...]


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
            IgnoreComment(each, each.line + each.alone, ("",) if codes is None else read_selectors(codes.strip("[]")))
            for each, codes in found
        )

    def read_header(self, first: int, head: int, body: int) -> tuple[bool, tuple[Comment, ...]]:
        """Whether a definition has `# pdt: skip`, and its `# type:` comments.

        A header is from the line of the first decorator to the line `head`. The first may also be alone above it, the
        second also alone in front of the line with the body's first statement.
        """
        inside = [each for each in self.all if first <= each.line and (each.statement or each.line) <= head]
        above = (each for each in self.all if each.alone and each.line == first - 1)
        below = (each for each in self.all if not each.statement and head < each.line < body)
        is_skipped = any(SKIP.search(each.text) for each in (*inside, *above))
        return is_skipped, tuple(each for each in (*inside, *below) if TYPE.search(each.text))


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
