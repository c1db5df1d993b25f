"""Where each annotation stands in the annotated source."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pdt_annotate.source.text import decode
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.slots import Annotation, Slot


@dataclass(frozen=True)
class Mark:
    """The place of an annotation: a line, from 1, and the columns of its type there, in characters."""

    annotation: Annotation
    line: int
    start: int
    end: int


def find_marks(change: FileChange, annotations: Iterable[Annotation]) -> list[Mark]:
    """Of the annotations those that the change writes, in the order of their places."""
    places = {slot: place for slot, *place in _places(change)}
    marks = (Mark(each, *places[each.slot]) for each in annotations if each.slot in places)
    return sorted(marks, key=lambda mark: (mark.line, mark.start))


def _places(change: FileChange) -> Iterator[tuple[Slot, int, int, int]]:
    """Each slot that is annotated, the line, and the columns."""
    after, added = decode(change.after), 0
    for edit in change.edits:
        offset = edit.offset + added
        added += edit.growth
        if edit.slot:
            column = after.column(offset)
            yield edit.slot, after.line(offset), column, column + len(edit.text)
