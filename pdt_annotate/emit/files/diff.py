"""`--diff`: a unified diff on stdout that `git apply` and `patch -p1` take, to be applied in the root.

With `--explain` it has notes of the evidence. Those tools skip text between files and after the second `@@` of a hunk.
On a terminal, where nobody applies the diff, each note is at the end of its line.
"""

import difflib
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import BinaryIO

from pdt_annotate.emit import words
from pdt_annotate.emit.files import wants_color, write
from pdt_annotate.emit.machine.invocation import relative_to
from pdt_annotate.settings.options import Color, Options
from pdt_annotate.source.moves import Places, moves_of
from pdt_annotate.source.text import decode
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.printable import printable
from pdt_annotate.values.slots import Annotation, Origin, Owner, Slot

HUNK = re.compile(rb"@@ -\d+(?:,\d+)? \+(?P<start>\d+)(?:,(?P<count>\d+))? @@")
COLUMN = 72  # where notes after lines begin; after longer lines they begin later
POINTER = "  \N{LEFTWARDS ARROW} "
SAID = "because the compiler said"
NO_NEWLINE = b"\\ No newline at end of file\n"
_RESET, _DIM = b"\x1b[0m", b"\x1b[2m"
# First match wins. A removed line that itself begins with "-- " looks like a header, as in git's own colours.
_PAINT = ((b"--- ", b"\x1b[1m"), (b"+++ ", b"\x1b[1m"), (b"@@ ", b"\x1b[36m"), (b"-", b"\x1b[31m"), (b"+", b"\x1b[32m"))
_MUST_QUOTE = re.compile(rb'[\x00-\x1f"\\\x7f]')
_ESCAPES = {b"\n": rb"\n", b"\t": rb"\t", b"\r": rb"\r", b'"': rb"\"", b"\\": rb"\\"}


@dataclass(frozen=True)
class Mark:
    """The place of an annotation: a line, from 1, and the columns of its type there, in characters."""

    annotation: Annotation
    line: int
    start: int
    end: int


def find_marks(change: FileChange, annotations: Iterable[Annotation]) -> list[Mark]:
    places: dict[Slot, tuple[int, int, int]] = {}
    after, added = decode(change.after), 0
    for edit in change.edits:
        offset = edit.offset + added
        added += edit.growth
        if edit.slot:
            place = after.place(change.file, offset)
            places[edit.slot] = place.line, place.column - 1, place.column - 1 + len(edit.text)
    marks = (Mark(each, *places[each.slot]) for each in annotations if each.slot in places)
    return sorted(marks, key=lambda mark: (mark.line, mark.start))


@dataclass(frozen=True)
class Note:
    """A note on an annotation or a mend, in short and in full. Its line, from 1, is in the changed file."""

    line: int
    owner: Owner
    title: str
    brief: str
    details: tuple[str, ...]


def find_notes(change: FileChange, outcome: Outcome) -> list[Note]:
    own = (annotation for annotation in outcome.annotations if annotation.slot.owner.file == change.file)
    after, moves = decode(change.after), moves_of([change])[change.file]

    def note(line: int, owner: Owner, title: str, brief: str, seen: list[str], details: dict[str, str]) -> Note:
        said = (*seen, *(f"{name}: {value}" for name, value in details.items() if value))
        # A lone carriage return ends a line for Python, but not in diffs.
        return Note(1 + after.body.count(b"\n", 0, after.line_start(line)), owner, title, brief, said)

    notes: list[Note] = []
    for mark in find_marks(change, own):
        annotation, name = mark.annotation, words.slot_name(mark.annotation.slot)
        details = {
            "origin": "" if annotation.origin is Origin.OBSERVED else annotation.origin.value,
            "rules": ", ".join(annotation.rules),
            SAID: words.first_line(annotation.because),
        }
        title, brief = f"{name}: {words.spelled(annotation)}", f"{name}: {words.evidence(annotation)}"
        notes.append(note(mark.line, annotation.slot.owner, title, brief, words.sightings(annotation), details))
    for mend in outcome.mends:
        if mend.place.file == change.file:
            promise = f"{mend.kind.value}, {mend.rewrite}"
            details = {"mend": promise, SAID: words.asked_by(mend), "left out of the scripted model": mend.left_out}
            line = moves.follow_place(mend.place).line
            notes.append(note(line, mend.owner, mend.summary, f"mend: {promise}", [], details))
    return sorted(notes, key=lambda note: note.line)


def _encode(text: str) -> bytes:
    """One line of UTF-8; characters that cannot be shown are escaped."""
    return printable(" ".join(text.split("\n"))).encode("utf-8", "backslashreplace")


def emit(outcome: Outcome, options: Options, stdout: BinaryIO) -> str:
    """Write the diff to stdout, and with `--explain` notes of evidence in it."""
    # FORCE_COLOR does not colour a diff in a pipe, because `git apply` may read it; only `--color always` does.
    is_colored = wants_color(options.color, stdout) and (stdout.isatty() or options.color is Color.ALWAYS)
    if options.explain and (is_colored or stdout.isatty()):
        diff = render_for_people(outcome, is_colored)
    elif options.explain:
        diff = render_explained(outcome)
    else:
        plain = _seen(render(outcome)) if stdout.isatty() else render(outcome)
        diff = paint(plain) if is_colored else plain
    write(stdout, diff)
    annotations, files = words.tally(outcome)
    return f"{annotations} for {files} in the diff, nothing written"


def render(outcome: Outcome) -> bytes:
    return b"".join(line for path, change in _by_path(outcome) for line in unified(change, path))


def render_explained(outcome: Outcome) -> bytes:
    """The diff with all evidence before each file and a summary after each hunk's `@@`; it applies just the same."""
    out: list[bytes] = []
    for path, change in _by_path(outcome):
        found = find_notes(change, outcome)
        places = Places([change])
        for owner, group in groupby(found, key=lambda note: note.owner):
            lines = [f"{places.of(owner).named(path)} {owner.qualname}"]
            for note in group:
                lines += [f"  {note.title}", *(f"    {detail}" for detail in note.details)]
            out += [_encode(f"# {line}") + b"\n" for line in lines]
        for line in unified(change, path):
            hunk = HUNK.match(line)
            start, count = (int(hunk["start"]), int(hunk["count"] or 1)) if hunk else (0, 0)
            shown = (note for note in found if start <= note.line < start + count)
            by_owner = grouped((note.owner.qualname, note.brief) for note in shown)
            within = " | ".join(f"{owner} {'; '.join(briefs)}" for owner, briefs in by_owner.items())
            out.append(line.rstrip(b"\n") + b" " + _encode(within) + b"\n" if within else line)
    return b"".join(out)


def render_for_people(outcome: Outcome, is_colored: bool) -> bytes:
    """The diff for people, with the evidence at the end of each annotated line. It cannot be applied."""
    out: list[bytes] = []
    for path, change in _by_path(outcome):
        found = find_notes(change, outcome)
        briefs = grouped((note.line, note.brief) for note in found)
        number, in_hunk = 0, False
        for line in unified(change, path):
            if hunk := HUNK.match(line):
                number, in_hunk = int(hunk["start"]) - 1, True
            number += line.startswith((b" ", b"+"))
            said = briefs.get(number, ()) if in_hunk and line.startswith(b"+") else ()
            width = len(line.rstrip(b"\r\n").decode("utf-8", "replace"))
            aside = _encode(" " * max(0, COLUMN - width) + POINTER + "; ".join(said)) if said else b""
            text = _seen(line.rstrip(b"\r\n"))
            dim = _DIM + aside + _RESET if aside and is_colored else aside
            out += [paint(text) if is_colored else text, dim, b"\n"]
    return b"".join(out)


def _seen(diff: bytes) -> bytes:
    return printable(diff.decode("utf-8", "surrogateescape")).encode("utf-8", "backslashreplace")


def _by_path(outcome: Outcome) -> list[tuple[str, FileChange]]:
    changes = ((relative_to(outcome.root, change.file), change) for change in outcome.changes)
    return sorted(changes, key=lambda each: each[0])


def unified(change: FileChange, path: str) -> Iterator[bytes]:
    """The lines of one file's diff, from `a/path` to `b/path`, in the bytes of the files, with their line ends."""
    # Names as git writes them: quoted if they have a control character, followed by a tab if they have a space.
    plain = path.encode("utf-8", "surrogateescape")
    name = _MUST_QUOTE.sub(lambda match: _ESCAPES.get(match[0]) or b"\\%03o" % match[0][0], plain)
    quote = b'"' if name != plain else b""
    end = quote or (b"\t" if b" " in name else b"")
    old, new = (quote + side + name + end for side in (b"a/", b"b/"))
    # Patch tools count lines by newlines only; `splitlines` would also break at a lone carriage return.
    before, after = (io.BytesIO(source).readlines() for source in (change.before, change.after))
    for line in difflib.diff_bytes(difflib.unified_diff, before, after, old, new, lineterm=b"\n"):
        yield from (line,) if line.endswith(b"\n") else (line + b"\n", NO_NEWLINE)


def paint(diff: bytes) -> bytes:
    """The diff with terminal colours. The text is not decoded, so any bytes in it are kept."""
    painted = []
    for line in io.BytesIO(diff).readlines():
        color = next((code for prefix, code in _PAINT if line.startswith(prefix)), b"")
        text = line.rstrip(b"\r\n")
        painted.append(color + text + _RESET + line[len(text) :] if color else line)
    return b"".join(painted)
