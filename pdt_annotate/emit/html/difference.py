"""How two versions of a file differ, as a person reads it: what was inserted into a line is marked in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import zip_longest

from pdt_annotate.emit.html.markup import Child, Html, escape, join, tag
from pdt_annotate.source.text import decode
from pdt_annotate.values.outcome import FileChange

Opcode = tuple[str, int, int, int, int]
"""What difflib says of a block: (equal, replace, insert or delete; lines of the old from, to; of the new from, to)."""

WORDS = re.compile(r"\w+|\s+|.")

LONGEST = 2000
"""Characters of a line in which single words are compared."""


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

    @property
    def opcodes(self) -> list[Opcode]:
        """All blocks, equal ones among them."""
        return list(self._matcher.get_opcodes())

    @cached_property
    def changed(self) -> frozenset[int]:
        """The numbers, from 1, of the lines of the new file that the old one lacks."""
        blocks = (range(low, high) for kind, _, _, low, high in self.opcodes if kind != "equal")
        return frozenset(line + 1 for block in blocks for line in block)


def compare(change: FileChange) -> Comparison:
    """The lines of a change."""
    return Comparison(decode(change.before).lines, decode(change.after).lines)


def difference(lines: Comparison) -> Html:
    """The hunks of a unified diff."""
    return tag("div", [_hunk(lines, hunk) for hunk in lines.hunks()], class_="code diff")


def _hunk(lines: Comparison, opcodes: Sequence[Opcode]) -> Html:
    (_, old, _, new, _), (_, _, old_end, _, new_end) = opcodes[0], opcodes[-1]
    head = f"@@ -{old + 1},{old_end - old} +{new + 1},{new_end - new} @@"
    return join(tag("div", head, class_="hunk"), *(row for opcode in opcodes for row in _rows(lines, opcode)))


def _rows(lines: Comparison, opcode: Opcode) -> Iterator[Html]:
    """The lines of a block: equal ones once, else the old ones and then the new ones."""
    kind, start, end, low, high = opcode
    old, new = lines.before[start:end], lines.after[low:high]
    if kind == "equal":
        for index, text in enumerate(old):
            yield _row("same", start + index + 1, low + index + 1, text)
        return
    compared = [_words(*pair) for pair in zip_longest(old, new)]
    for index in range(len(old)):
        yield _row("gone", start + index + 1, None, tag("del", compared[index][0]))
    for index in range(len(new)):
        yield _row("added", None, low + index + 1, tag("ins", compared[index][1]))


def _row(kind: str, old: int | None, new: int | None, text: Child) -> Html:
    sign = {"same": " ", "gone": "-", "added": "+"}[kind]
    numbers = [tag("span", str(number or ""), class_="no") for number in (old, new)]
    return tag(
        "div", numbers, tag("span", sign, class_="sign"), tag("div", text, "\n", class_="text"), class_=f"row {kind}"
    )


def _words(old: str | None, new: str | None) -> tuple[Html, Html]:
    """A line that became another: each with its own words marked. A line that stands alone is not marked in part."""
    if old is None or new is None or max(len(old), len(new)) > LONGEST:
        return escape(old or ""), escape(new or "")
    before, after = WORDS.findall(old), WORDS.findall(new)
    gone, added = [], []
    for kind, start, end, low, high in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        wrap = escape if kind == "equal" else _marked
        gone.append(wrap("".join(before[start:end])))
        added.append(wrap("".join(after[low:high])))
    return join(*gone), join(*added)


def _marked(text: str) -> Html:
    return tag("b", text) if text else Html("")
