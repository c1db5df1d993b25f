"""Source bytes as lines of text, as Python reads them, and how two versions of a file differ."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

Opcode = tuple[str, int, int, int, int]
"""What difflib says of a block: (equal, replace, insert or delete; lines of the old from, to; of the new from, to)."""


def decode(source: bytes) -> str:
    """The text, its line ends as newlines, without a byte order mark; bytes that are no text are replaced."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    except SyntaxError:
        encoding = "utf-8"
    return io.StringIO(source.decode(encoding, "replace").removeprefix("\ufeff"), newline=None).read()


def split(text: str) -> list[str]:
    """The lines as Python counts them, without their ends; behind the last end there is no line."""
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


@dataclass(frozen=True)
class Comparison:
    """The lines of a file before and after."""

    before: Sequence[str]
    after: Sequence[str]

    @cached_property
    def _matcher(self) -> SequenceMatcher[str]:
        return SequenceMatcher(None, self.before, self.after)

    def hunks(self, context: int = 3) -> list[list[Opcode]]:
        """The changes with as many equal lines around them, as unified diffs group them."""
        return [list(hunk) for hunk in self._matcher.get_grouped_opcodes(context)] if self.before != self.after else []

    @cached_property
    def changed(self) -> frozenset[int]:
        """The numbers, from 1, of the lines of the new file that the old one lacks."""
        blocks = (range(low, high) for kind, _, _, low, high in self._matcher.get_opcodes() if kind != "equal")
        return frozenset(line + 1 for block in blocks for line in block)

    def follow(self, line: int) -> int:
        """The number of a line of the old file in the new one, both from 1; 0 stays 0, no line."""
        for _, start, end, low, high in self._matcher.get_opcodes():
            if start < line <= end:
                return min(low + line - start, max(high, 1), len(self.after))
        return min(line, len(self.after))
