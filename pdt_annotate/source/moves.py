"""The places of functions, classes and slots in the files that a run read, and how edits move lines and places.

There are two versions of a file: on disk, and as it will be. `trace` takes a value from the second to the first.
"""

import dataclasses
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from pdt_annotate.source.module import modules_of
from pdt_annotate.source.text import NEWLINE, Text, decode
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.slots import Owner, Place, Slot

T = TypeVar("T")


class Moves:
    """The lines of a file before and after edits, both from 1; 0 stays 0, no line."""

    def __init__(self, before: bytes, edits: Iterable[Edit]) -> None:
        self._text = decode(before)
        self._edits = tuple(edits)
        removed = (self._text.body[each.offset : each.end].decode() for each in self._edits)
        pairs = zip(self._edits, removed, strict=True)
        self._added = [(each.offset, _lines(each.text) - _lines(gone)) for each, gone in pairs]

    def follow(self, line: int) -> int:
        """The number of a line after the edits; a line after the last becomes the last."""
        line = min(line, self._text.last_line)
        start = self._text.line_start(line) if line else -1
        return line + sum(lines for offset, lines in self._added if offset <= start)

    def follow_place(self, place: Place) -> Place:
        """A place of the file after the edits; without a column, its line."""
        if not place.column:
            return replace(place, line=self.follow(place.line))
        offset = self._text.offset(place.line, place.column)
        before = [each for each in self._edits if each.offset <= offset]
        moved = sum(each.growth + max(0, each.end - offset) for each in before)
        return self._after.place(place.file, offset + moved)

    def trace_place(self, place: Place) -> Place:
        """The place before the edits; for a place in inserted text, the place after that text."""
        if not place.column:
            return replace(place, line=self.trace(place.line))
        offset = self._after.offset(place.line, place.column)
        for each in self._edits:
            if each.offset < offset:
                offset = max(each.end, offset - each.growth)
        return self._text.place(place.file, offset)

    @cached_property
    def _after(self) -> Text:
        return decode(self._text.edit(self._edits))

    def trace(self, line: int) -> int:
        """The number before the edits; for an inserted line, that of the line above."""
        lines = range(1, self._text.last_line + 1)
        return min(line, max(1, bisect_right(lines, line, key=self.follow)))


def moves_of(changes: Iterable[FileChange]) -> dict[str, Moves]:
    return {change.file: Moves(change.before, change.edits) for change in changes}


def trace(found: T, moves: Mapping[str, Moves]) -> T:
    """Return a value about changed files with all places, functions and slots in it as before the changes."""
    traced: T = _trace(found, moves) if moves else found
    return traced


def _trace(value: Any, moves: Mapping[str, Moves]) -> Any:
    if isinstance(value, Place):
        return moves[value.file].trace_place(value) if value.file in moves else value
    if isinstance(value, Owner):
        return replace(value, line=moves[value.file].trace(value.line)) if value.file in moves else value
    if isinstance(value, Slot):
        line = moves[value.owner.file].trace(value.line) if value.line and value.owner.file in moves else value.line
        return replace(value, owner=_trace(value.owner, moves), line=line)
    if isinstance(value, tuple):
        return tuple(_trace(each, moves) for each in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{f.name: _trace(getattr(value, f.name), moves) for f in dataclasses.fields(value)})
    return value


def _lines(text: str) -> int:
    return len(NEWLINE.findall(text))


class Places:
    """Looks places up; each file is read once, as it was before these changes."""

    def __init__(self, changes: Iterable[FileChange] = ()) -> None:
        self._module = modules_of({change.file: change.before for change in changes})

    def of(self, owner: Owner) -> Place:
        found = self._module(owner.file)
        return found.place(owner) if found else Place(owner.file, owner.line)

    def of_slot(self, slot: Slot) -> Place:
        """The place of the name of a slot; for a return, that of its function."""
        found = self._module(slot.owner.file)
        return found.place_of(slot) if found else Place(slot.owner.file, slot.line or slot.owner.line)
