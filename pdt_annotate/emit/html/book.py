"""What the page shows and how its parts refer to each other: files in order, each with lines, marks and a key."""

from __future__ import annotations

import linecache
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from pdt_annotate.emit.files.marks import Mark, find_marks
from pdt_annotate.emit.html.difference import Comparison, compare
from pdt_annotate.emit.html.markup import Html, tag
from pdt_annotate.emit.machine.paths import relative_to, without_root
from pdt_annotate.source.moves import Moves
from pdt_annotate.source.places import Places
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Finding, Slot


@dataclass(frozen=True)
class Sheet:
    """A changed file. `key` begins the ids of its lines; `module` is set for one outside the root."""

    key: str
    file: str
    path: str
    lines: Comparison
    marks: Sequence[Mark]
    moves: Moves
    module: str = ""

    def line_id(self, line: int) -> str:
        """The id of a line of the annotated source, from 1."""
        return f"{self.key}-l{line}"


class Book:
    """All that the page shows of an outcome, in an order of its own."""

    def __init__(self, outcome: Outcome) -> None:
        self.outcome = outcome
        self.places = Places(outcome.all_changes)
        firsts: dict[Slot, Annotation] = {}
        for annotation in sorted(outcome.annotations, key=lambda each: each.slot.sort_key):
            firsts.setdefault(annotation.slot, annotation)
        self.annotations = tuple(firsts.values())
        self.keys: Mapping[Slot, str] = {slot: f"a{index}" for index, slot in enumerate(firsts, 1)}
        found = sorted(outcome.findings, key=lambda each: (each.code, each.place, each.message))
        self.findings = tuple((f"n{index}", finding) for index, finding in enumerate(found, 1))

    @cached_property
    def by_file(self) -> Mapping[str, list[Annotation]]:
        """The annotations of each file."""
        files: dict[str, list[Annotation]] = defaultdict(list)
        for annotation in self.annotations:
            files[annotation.slot.owner.file].append(annotation)
        return files

    @cached_property
    def sheets(self) -> Mapping[str, Sheet]:
        """The changed files by name: those under the root by path, then the others by module."""
        own = sorted(self.outcome.changes, key=lambda change: self.path(change.file))
        modules = sorted((each.module, each.change) for each in self.outcome.overlaid)
        changes = [*(("", change) for change in own), *modules]
        return {change.file: self._sheet(f"f{i}", change, module) for i, (module, change) in enumerate(changes, 1)}

    def _sheet(self, key: str, change: FileChange, module: str) -> Sheet:
        marks = find_marks(change, self.by_file.get(change.file, ()))
        moves = Moves(change.before, change.edits)
        return Sheet(key, change.file, self.path(change.file), compare(change), marks, moves, module)

    def path(self, file: str) -> str:
        """A file as the page names it."""
        return relative_to(self.outcome.root, file)

    def said(self, text: str) -> str:
        """A message without this machine's paths."""
        return without_root(self.outcome.root, text)

    def place(self, place: Place, *, annotated: bool = False) -> Html | None:
        """ "model.py:12:5", a link where the page shows the file; None where there is no place.

        Args:
            place: without a line it is the file as a whole.
            annotated: whether it is one in the annotated source, and not in the one on disk.
        """
        if not place.file:
            return None
        sheet = self.sheets.get(place.file)
        if sheet is None:
            return tag("span", str(place.named(self.path(place.file))), class_="place")
        place = place if annotated else sheet.moves.follow_place(place)
        href = f"#{sheet.line_id(place.line) if place.line else sheet.key}"
        return tag("a", str(place.named(sheet.path)), class_="place", href=href)

    def source_line(self, place: Place, *, annotated: bool = False) -> str:
        """The text of a line, of a file that does not change as it is on disk; "" where there is no such line."""
        sheet, line = self.sheets.get(place.file), place.line
        if sheet is None:
            return linecache.getline(place.file, line).strip()
        lines = sheet.lines.after if annotated else sheet.lines.before
        return lines[line - 1].strip() if 0 < line <= len(lines) else ""

    def findings_at(self, sheet: Sheet) -> Mapping[int, list[tuple[str, Finding]]]:
        """The findings of a file by their line in the annotated source, each with its key."""
        lines: dict[int, list[tuple[str, Finding]]] = defaultdict(list)
        for key, finding in self.findings:
            if finding.place.file == sheet.file:
                lines[sheet.moves.follow_place(finding.place).line].append((key, finding))
        return lines
