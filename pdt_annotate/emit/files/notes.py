"""Side notes of evidence in a diff: where `git apply` and `patch` read over them, or beside the lines on a terminal.

Those tools skip what stands between files and behind the second `@@` of a hunk. On a terminal nobody applies the diff,
so there each note stands at the end of the line that it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from pdt_annotate.emit.words import (
    asked_by,
    evidence,
    first_line,
    marked_origin,
    sightings,
    slot_name,
    spelled,
    standing,
)
from pdt_annotate.source.moves import Moves
from pdt_annotate.source.places import Places
from pdt_annotate.source.text import Text, decode
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.printable import printable
from pdt_annotate.values.slots import Annotation, Owner, Slot

HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(?P<start>\d+)(?:,(?P<count>\d+))? @@")
COLUMN = 72
"""Where notes beside lines begin, but for longer lines."""

BESIDE = "  \N{LEFTWARDS ARROW} "
SAID = "because the compiler said"


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


@dataclass(frozen=True)
class Note:
    """What is told of an annotation or a mend.

    Args:
        line: the line, from 1, that holds it in the changed file, as diffs count lines.
        owner: the function or class.
        title: what is written.
        brief: why, in short: beside the line itself the title would say nothing new.
        details: why, in full.
    """

    line: int
    owner: Owner
    title: str
    brief: str
    details: tuple[str, ...]


def find_notes(change: FileChange, annotations: Iterable[Annotation], mends: Iterable[Mend] = ()) -> list[Note]:
    """A note for each annotation and mend that the changed file holds, in the order of the lines."""
    own = (annotation for annotation in annotations if annotation.slot.owner.file == change.file)
    after, moves = decode(change.after), Moves(change.before, change.edits)
    found = [_of_annotation(mark.annotation, _diff_line(after, mark.line)) for mark in find_marks(change, own)]
    for mend in mends:
        if mend.place.file == change.file:
            found.append(_of_mend(mend, _diff_line(after, moves.follow_place(mend.place).line)))
    return sorted(found, key=lambda note: note.line)


def _of_annotation(annotation: Annotation, line: int) -> Note:
    """ "mask: Optional[Tensor]", in brief "mask: Tensor×2, None×1"."""
    slot = annotation.slot
    details = {
        "origin": marked_origin(annotation),
        "rules": ", ".join(annotation.rules),
        SAID: first_line(annotation.because),
    }
    name = slot_name(slot)
    told = (*sightings(annotation), *_told(details))
    return Note(line, slot.owner, f"{name}: {spelled(annotation)}", f"{name}: {evidence(annotation)}", told)


def _of_mend(mend: Mend, line: int) -> Note:
    details = {SAID: asked_by(mend), "left out of the scripted model": mend.left_out}
    return Note(line, mend.owner, mend.summary, f"mend: {standing(mend)}", _told({"mend": standing(mend), **details}))


def _told(details: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{name}: {value}" for name, value in details.items() if value)


def _diff_line(text: Text, line: int) -> int:
    """A line as Python counts, for which a lone carriage return ends one, as diffs count."""
    return 1 + text.body.count(b"\n", 0, text.line_start(line))


def explain(path: str, change: FileChange, notes: Iterable[Note]) -> bytes:
    """What is put before the diff of a file: all of the evidence, each line marked as a comment."""
    places = Places([change])
    out: list[str] = []
    for owner, group in groupby(notes, key=lambda note: note.owner):
        out.append(f"{places.of(owner).named(path)} {owner.qualname}")
        for note in group:
            out += [f"  {note.title}", *(f"    {detail}" for detail in note.details)]
    return b"".join(_encode(f"# {line}") + b"\n" for line in out)


def head_hunks(lines: Iterable[bytes], notes: Sequence[Note]) -> Iterator[bytes]:
    """The lines of a diff, each hunk's header with the notes of the hunk behind it."""
    for line in lines:
        hunk = HUNK.match(line)
        within = _within(hunk, notes) if hunk else ""
        yield line.rstrip(b"\n") + b" " + _encode(within) + b"\n" if within else line


def _within(hunk: re.Match[bytes], notes: Sequence[Note]) -> str:
    start = int(hunk["start"])
    held = range(start, start + int(hunk["count"] or 1))
    by_owner: dict[str, list[str]] = {}
    for note in notes:
        if note.line in held:
            by_owner.setdefault(note.owner.qualname, []).append(note.brief)
    return " | ".join(f"{owner} {'; '.join(briefs)}" for owner, briefs in by_owner.items())


def put_beside(lines: Iterable[bytes], notes: Sequence[Note]) -> Iterator[tuple[bytes, bytes]]:
    """The lines of a diff, each with what to show at its end."""
    briefs: Mapping[int, list[str]] = {note.line: [] for note in notes}
    for note in notes:
        briefs[note.line].append(note.brief)
    number, in_hunk = 0, False
    for line in lines:
        hunk = HUNK.match(line)
        if hunk:
            number, in_hunk = int(hunk["start"]) - 1, True
        number += line.startswith((b" ", b"+"))
        told = briefs.get(number, ()) if in_hunk and line.startswith(b"+") else ()
        width = len(line.rstrip(b"\r\n").decode("utf-8", "replace"))
        yield line, _encode(" " * max(0, COLUMN - width) + BESIDE + "; ".join(told)) if told else b""


def _encode(text: str) -> bytes:
    """One line of UTF-8, whatever stands in names."""
    return printable(" ".join(text.split("\n"))).encode("utf-8", "backslashreplace")
