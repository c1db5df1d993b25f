"""A file's lines for the page: the source with its marks, and the differences between two versions."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import groupby, pairwise, zip_longest

from pygments.lexers.python import PythonLexer
from pygments.token import Token

from pdt_annotate.emit.files.diff import Mark
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.slots import Annotation

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


Highlight = tuple[int, int, str]  # the columns of a part of a line, in characters, and its class of the style sheet


def highlight(text: str) -> dict[int, list[Highlight]]:
    """The highlights of each line, numbered from 1, in order; plain text and text that is not Python have none."""
    lines: dict[int, list[Highlight]] = defaultdict(list)
    line, column = 1, 0
    found = PythonLexer().get_tokens_unprocessed(text)
    tokens = ((next((kind for known, kind in KINDS if type_ in known), ""), value) for _, type_, value in found)
    for kind, run in groupby(tokens, key=lambda token: token[0]):
        for index, piece in enumerate("".join(value for _, value in run).split("\n")):
            line, column = (line + 1, 0) if index else (line, column)
            if kind and piece:
                lines[line].append((column, column + len(piece), kind))
            column += len(piece)
    return lines


WORDS = re.compile(r"\w+|\s+|.")
LONGEST = 2000  # the most characters of a line in which single words are compared


@dataclass(frozen=True)
class Comparison:
    before: Sequence[str]
    after: Sequence[str]

    @cached_property
    def matcher(self) -> SequenceMatcher[str]:
        return SequenceMatcher(None, self.before, self.after)

    @cached_property
    def changed(self) -> frozenset[int]:
        """The numbers, from 1, of the lines of the new file that the old one lacks."""
        blocks = (range(low, high) for kind, _, _, low, high in self.matcher.get_opcodes() if kind != "equal")
        return frozenset(line + 1 for block in blocks for line in block)

    def hunks(self) -> Iterator[tuple[str, Sequence[DiffRow]]]:
        """The hunks of a unified diff, each with its head; text inserted into a line is marked."""
        for opcodes in self.matcher.get_grouped_opcodes() if self.before != self.after else ():
            (_, old, _, new, _), (_, _, old_end, _, new_end) = opcodes[0], opcodes[-1]
            head = f"@@ -{old + 1},{old_end - old} +{new + 1},{new_end - new} @@"
            rows: list[DiffRow] = []
            for kind, start, end, low, high in opcodes:
                if kind == "equal":
                    same = enumerate(self.before[start:end], 1)
                    rows += (DiffRow("same", start + i, low + i, [(text, False)]) for i, text in same)
                else:
                    pairs = zip_longest(self.before[start:end], self.after[low:high])
                    words = [_compare_words(*pair) for pair in pairs]
                    rows += (DiffRow("gone", start + i + 1, None, words[i][0]) for i in range(end - start))
                    rows += (DiffRow("added", None, low + i + 1, words[i][1]) for i in range(high - low))
            yield head, rows


Words = Sequence[tuple[str, bool]]


@dataclass(frozen=True)
class DiffRow:
    """A line of a diff: `same`, `gone` or `added`; with its number in either file; in marked and unmarked pieces."""

    kind: str
    old: int | None
    new: int | None
    words: Words


def _compare_words(old: str | None, new: str | None) -> tuple[Words, Words]:
    """A changed line, with the changed words marked in both versions. A line without a counterpart has no marks."""
    if old is None or new is None or max(len(old), len(new)) > LONGEST:
        return [(old or "", False)], [(new or "", False)]
    before, after = WORDS.findall(old), WORDS.findall(new)
    opcodes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    gone = [("".join(before[start:end]), kind != "equal") for kind, start, end, _, _ in opcodes if start < end]
    added = [("".join(after[low:high]), kind != "equal") for kind, _, _, low, high in opcodes if low < high]
    return gone, added


Span = tuple[str, str]  # characters, and their class of the style sheet, or "" for plain text


@dataclass(frozen=True)
class SourceRow:
    """A numbered line in pieces, each annotation a piece; `skipped` counts the lines left out above it."""

    line: int
    skipped: int
    pieces: Sequence[tuple[Sequence[Span], Annotation | None]]


def listing(text: Sequence[str], listed: Sequence[int], marks: Sequence[Mark]) -> Iterator[SourceRow]:
    kinds = highlight("\n".join(text))
    by_line = grouped((mark.line, mark) for mark in marks)
    for before, line in pairwise((0, *listed)):
        content, done = text[line - 1], 0
        parts: list[tuple[int, int, Annotation | None]] = []
        for mark in by_line.get(line, ()):
            parts += [(done, mark.start, None), (mark.start, mark.end, mark.annotation)]
            done = mark.end
        parts.append((done, len(content), None))
        pieces = [(list(coloured(content, kinds.get(line, ()), low, high)), note) for low, high, note in parts]
        yield SourceRow(line, line - before - 1, pieces)


def coloured(text: str, highlights: Sequence[Highlight], start: int = 0, end: int | None = None) -> Iterator[Span]:
    """The characters from `start` to `end`, in one piece per highlight."""
    end = len(text) if end is None else end
    for first, last, kind in highlights:
        low, high = max(first, start), min(last, end)
        if low < high:
            yield text[start:low], ""
            yield text[low:high], kind
            start = high
    yield text[start:end], ""
