"""How two versions of a file differ, line by line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from pdt_annotate.source.text import decode
from pdt_annotate.values.outcome import FileChange

Opcode = tuple[str, int, int, int, int]
"""What difflib says of a block: (equal, replace, insert or delete; lines of the old from, to; of the new from, to)."""


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


def compare(change: FileChange) -> Comparison:
    """The lines of a change."""
    return Comparison(decode(change.before).lines, decode(change.after).lines)
