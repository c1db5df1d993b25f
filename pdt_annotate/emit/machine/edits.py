"""How one text becomes another: small replacements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from pdt_annotate.source.text import split_lines

_TOKEN = re.compile(r"\w+|[^\S\r\n]+|\r\n|.", re.DOTALL)


@dataclass(frozen=True, order=True)
class Edit:
    """The characters from `start` to `end` give way to a text. Offsets are those of the text before all edits."""

    start: int
    end: int
    text: str


def find_edits(before: str, after: str) -> tuple[Edit, ...]:
    """The edits that make the one text the other, in order, none touching another's characters.

    Changed lines are found first and then compared word by word, so that two functions on neighbouring lines do not
    come to share an edit.
    """
    old, new = split_lines(before), split_lines(after)
    offsets = _offsets(old)
    found: list[Edit] = []
    for kind, i, j, k, m in SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            found += _find_in(offsets[i], "".join(old[i:j]), "".join(new[k:m]))
    return tuple(found)


def _find_in(offset: int, before: str, after: str) -> Iterator[Edit]:
    old, new = _TOKEN.findall(before), _TOKEN.findall(after)
    offsets = _offsets(old)
    for kind, i, j, k, m in SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            yield Edit(offset + offsets[i], offset + offsets[j], "".join(new[k:m]))


def _offsets(pieces: Sequence[str]) -> list[int]:
    """Where each piece begins, and where the last one ends."""
    offsets = [0]
    for piece in pieces:
        offsets.append(offsets[-1] + len(piece))
    return offsets
