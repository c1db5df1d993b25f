"""Side notes of evidence in a diff: where `git apply` and `patch` read over them, or beside the lines on a terminal.

Those tools skip what stands between files and behind the second `@@` of a hunk. On a terminal nobody applies the diff,
so there each note stands at the end of the line that it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.emit.files.marks import find_marks
from pdt_annotate.emit.words import evidence, first_line, marked_origin, sightings, slot_name, spelled
from pdt_annotate.source.places import Places
from pdt_annotate.source.text import Text, decode
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.slots import Annotation, Owner

HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(?P<start>\d+)(?:,(?P<count>\d+))? @@")
COLUMN = 72
"""Where notes beside lines begin, but for longer lines."""

BESIDE = "  \N{LEFTWARDS ARROW} "


@dataclass(frozen=True)
class Note:
    """An annotation with the line, from 1, that holds it in the changed file, as diffs count lines."""

    annotation: Annotation
    line: int

    @property
    def brief(self) -> str:
        """ "mask: Tensor×2, None×1": beside the line itself the type would say nothing new."""
        return f"{slot_name(self.annotation.slot)}: {evidence(self.annotation)}"


def find_notes(change: FileChange, annotations: Iterable[Annotation]) -> list[Note]:
    """A note for each annotation that the changed file holds, in the order of the lines."""
    own = (annotation for annotation in annotations if annotation.slot.owner.file == change.file)
    after = decode(change.after)
    return [Note(mark.annotation, _diff_line(after, mark.line)) for mark in find_marks(change, own)]


def _diff_line(text: Text, line: int) -> int:
    """A line as Python counts, for which a lone carriage return ends one, as diffs count."""
    return 1 + text.body.count(b"\n", 0, text.line_start(line))


def explain(path: str, change: FileChange, notes: Iterable[Note]) -> bytes:
    """What is put before the diff of a file: all of the evidence, each line marked as a comment."""
    places = Places([change])
    out: list[str] = []
    owner: Owner | None = None
    for note in notes:
        slot = note.annotation.slot
        if slot.owner != owner:
            owner = slot.owner
            out.append(f"{places.of(owner).named(path)} {owner.qualname}")
        out.append(f"  {slot_name(slot)}: {spelled(note.annotation)}")
        out += [f"    {detail}" for detail in _details(note.annotation)]
    return b"".join(_encode(f"# {line}") + b"\n" for line in out)


def _details(annotation: Annotation) -> Iterator[str]:
    yield from sightings(annotation)
    details = {
        "origin": marked_origin(annotation),
        "rules": ", ".join(annotation.rules),
        "because the compiler said": first_line(annotation.because),
    }
    yield from (f"{name}: {value}" for name, value in details.items() if value)


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
            by_owner.setdefault(note.annotation.slot.owner.qualname, []).append(note.brief)
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
    return " ".join(text.split("\n")).encode("utf-8", "backslashreplace")
