"""The content of the page and its cross-references: files in order, each with lines, marks and a key.

Places are in the files as the command leaves them; these are the old files if nothing was written.
"""

import enum
import linecache
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise

from pdt_annotate.emit.files.diff import Mark, find_marks
from pdt_annotate.emit.html.source import Comparison, SourceRow, listing
from pdt_annotate.emit.machine.invocation import Invocation, Moved, NoResult, path_below, relative_to, without_root
from pdt_annotate.emit.words import plural
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.moves import Places, moves_of
from pdt_annotate.source.text import decode
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.slots import Annotation, Origin, Place, Slot
from pdt_annotate.values.verdicts import Failure, Fault, Part

CONTEXT = 8  # lines above and below a place in an unchanged file
SMALL_GAP = 3  # the most lines that are shown rather than counted between shown lines
LEFT = "found, not written"  # for annotations that are in no file


class ShownVersion(enum.Enum):
    WRITTEN = "written"
    PROPOSED = "proposed"
    COPY = "copy"
    ON_DISK = "on disk"


@dataclass(frozen=True)
class PlaceLink:
    """A place as the page names it, and the id of the line or file that shows it; "" if none does."""

    said: str
    key: str = ""


@dataclass(frozen=True)
class ShownFile:
    key: str  # the ids of its lines begin with it
    file: str
    path: str
    shown: ShownVersion
    lines: Comparison
    listed: Sequence[int]  # the shown lines of the text `lines.after`
    numbers: Mapping[int, int]  # their numbers in the present file
    rows: Sequence[SourceRow]
    marks: Sequence[Mark] = ()
    module: str = ""  # set if it is outside the root

    def line_id(self, line: int) -> str:
        return f"{self.key}-l{self.numbers[line]}" if line in self.numbers else f"{self.key}-new{line}"

    @cached_property
    def by_number(self) -> Mapping[int, int]:
        return {self.numbers[line]: line for line in self.listed if line in self.numbers}

    def anchor(self, number: int) -> str:
        """The id of a line of the file; of the file as a whole if that line is not shown."""
        return self.line_id(self.by_number[number]) if number in self.by_number else self.key


@dataclass(frozen=True)
class LineFlag:
    """A fault or finding on a line: the id of its full text on the page, and its class of the style sheet."""

    key: str
    code: str
    message: str
    tone: str = "bad"


class PageContent:
    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self.outcome = outcome
        self.invocation = invocation
        self.moved = Moved(outcome, invocation)
        self.places = Places(outcome.all_changes)
        firsts: dict[Slot, Annotation] = {}
        for annotation in sorted(outcome.annotations, key=lambda each: each.slot.sort_key):
            firsts.setdefault(annotation.slot, annotation)
        self.annotations = tuple(firsts.values())
        self.guesses = [each for each in self.annotations if each.origin is Origin.GUESS]
        self.by_file = grouped((annotation.slot.owner.file, annotation) for annotation in self.annotations)
        self.keys: Mapping[Slot, str] = {slot: f"a{index}" for index, slot in enumerate(firsts, 1)}
        found = sorted(outcome.findings, key=lambda each: (each.code, each.place, each.message))
        self.findings = tuple((f"n{index}", finding) for index, finding in enumerate(found, 1))
        # The text of a fault has an id at the first part that has the fault.
        self.first_parts: dict[Fault, Part] = {}
        for part in (part for blame in outcome.blame for part in blame.parts):
            for fault in part.faults:
                self.first_parts.setdefault(fault, part)
        self.fault_keys = {fault: f"x{index}" for index, fault in enumerate(self.first_parts, 1)}
        self.failures = [fault.failure for fault in self.first_parts]
        self.failures += [each.failure for each in outcome.verdicts if each.failure and not each.ok]
        self.has_no_result = bool(invocation.without_result) and not (outcome.verdicts or outcome.closure.files)
        self.judges_unwritten = bool(outcome.verified and outcome.changes and invocation.write_back.value.to_write)

    @cached_property
    def sheets(self) -> Mapping[str, ShownFile]:
        """The sheets by file: changed files, by path; third-party copies, by module; files that places name."""
        own = [("", change) for change in sorted(self.outcome.changes, key=lambda change: self.path(change.file))]
        copies = sorted((each.module, each.change) for each in self.outcome.overlaid)
        changed = {change.file: (change, module) for module, change in (*own, *copies)}
        # All places that the page names, except definitions of parts outside the root: nobody needs to look there.
        parts = (part for blame in self.outcome.blame for part in (*blame.parts, *blame.unjudged))
        places = [part.place for part in parts if path_below(self.outcome.root, part.place.file)]
        places += (each.place for each in self.invocation.without_result)
        places += (place for failure in self.failures for place in (failure.place, *failure.chain))
        places += (finding.place for finding in self.outcome.findings)
        places += (self.places.of(owner) for owner in self.outcome.unreached)
        places += (self.places.of_slot(annotation.slot) for annotation in self.annotations)
        places += (mend.place for mend in (self.outcome.advised.mends if self.outcome.advised else ()))
        cited: dict[str, set[int]] = defaultdict(set)
        for place in places:
            if place.file and place.file not in changed:
                cited[place.file].add(place.line)
        keys = {file: f"f{index}" for index, file in enumerate((*changed, *sorted(cited, key=self.path)), 1)}
        sheets = [self._changed(keys[file], *change) for file, change in changed.items()]
        sheets += [self._cited(key, file, cited[file]) for file, key in keys.items() if file in cited]
        return {sheet.file: sheet for sheet in sheets if sheet.listed or sheet.file in changed}

    def _changed(self, key: str, change: FileChange, module: str) -> ShownFile:
        is_written = self.outcome.is_sound and self.invocation.write_back is WriteBack.IN_PLACE
        shown = ShownVersion.COPY if module else ShownVersion.WRITTEN if is_written else ShownVersion.PROPOSED
        lines = Comparison(decode(change.before).lines, decode(change.after).lines)
        listed = range(1, len(lines.after) + 1)
        numbers = {line: line for line in listed if shown is ShownVersion.WRITTEN}
        moves = moves_of([change])[change.file]
        # Otherwise the number of a line in the old text, if it has one, from the diff or from the edits.
        for kind, start, end, low, high in lines.matcher.get_opcodes() if shown is not ShownVersion.WRITTEN else ():
            for old in range(start + 1, end + 1):
                new = low - start + old if kind == "equal" else moves.follow(old)
                if low < new <= high:
                    numbers.setdefault(new, old)
        marks = find_marks(change, self.by_file.get(change.file, ()))
        rows, path = list(listing(lines.after, listed, marks)), self.path(change.file)
        return ShownFile(key, change.file, path, shown, lines, listed, numbers, rows, marks, module)

    def _cited(self, key: str, file: str, cited: Iterable[int]) -> ShownFile:
        text = [line.rstrip("\n") for line in linecache.getlines(file)]
        there = (line for line in cited if 0 < line <= len(text))
        near = {line for place in there for line in range(place - CONTEXT, place + CONTEXT + 1)}
        listed = sorted(line for line in near if 0 < line <= len(text))
        # Filling a small gap takes no more room than a note of how many lines it has.
        gaps = (range(low + 1, high) for low, high in pairwise(listed) if high - low <= SMALL_GAP + 1)
        listed = sorted({*listed, *chain.from_iterable(gaps)})
        lines, numbers, rows = Comparison(text, text), {line: line for line in listed}, list(listing(text, listed, ()))
        return ShownFile(key, file, self.path(file), ShownVersion.ON_DISK, lines, listed, numbers, rows)

    def path(self, file: str) -> str:
        return relative_to(self.outcome.root, file)

    def said(self, text: str) -> str:
        return without_root(self.outcome.root, text)

    def place(self, place: Place, *, judged: bool = False) -> PlaceLink | None:
        """ "model.py:12:5", a link if the page shows the file; None without a place. A judge may name new lines."""
        return self.link(self.moved.judged(place) if judged else self.moved.found(place))

    def link(self, place: Place) -> PlaceLink | None:
        if not place.file:
            return None
        sheet = self.sheets.get(place.file)
        return PlaceLink(str(place.named(self.path(place.file))), sheet.anchor(place.line) if sheet else "")

    def written_at(self, annotation: Annotation) -> str:
        """The id of the line that has an annotation, or where it belongs; "" if its file is not shown."""
        sheet = self.sheets.get(annotation.slot.owner.file)
        if sheet is None:
            return ""
        for mark in sheet.marks:
            if mark.annotation is annotation:
                return sheet.line_id(mark.line)
        return sheet.anchor(self.moved.found(self.places.of_slot(annotation.slot)).line)

    def source_line(self, place: Place, *, judged: bool = False) -> str:
        """The text of a line, as a judge read it or as it was found; "" if there is no such line."""
        sheet = self.sheets.get(place.file)
        lines = (sheet.lines.after if judged and not self.outcome.kept else sheet.lines.before) if sheet else ()
        return lines[place.line - 1].strip() if 0 < place.line <= len(lines) else ""

    def flags_at(self, sheet: ShownFile) -> Mapping[int, list[LineFlag]]:
        flags = [(each.place, LineFlag("errors", "error", each.message)) for each in self.invocation.without_result]
        for fault, key in self.fault_keys.items():
            flags.append((fault.failure.place, LineFlag(key, fault.code, fault.failure.message)))
        for key, each in self.findings:
            flags.append((each.place, LineFlag(key, each.code, each.message, "review")))
        lines: dict[int, list[LineFlag]] = defaultdict(list)
        for found, flag in flags:
            place = self.moved.found(found)
            if place.file == sheet.file and place.line in sheet.by_number:
                lines[sheet.by_number[place.line]].append(flag)
        return lines

    def tone(self, sheet: ShownFile) -> str:
        """The state of a file, as a class of the style sheet: it has a fault, something to review, or neither."""
        places = (each.place for each in chain[NoResult | Failure](self.invocation.without_result, self.failures))
        if any(place.file == sheet.file for place in places):
            return "bad"
        has_guess = any(each.origin is Origin.GUESS for each in self.by_file.get(sheet.file, ()))
        has_finding = any(finding.place.file == sheet.file for _, finding in self.findings)
        is_missing = sheet.shown is ShownVersion.PROPOSED and self.invocation.write_back is WriteBack.CHECK
        if is_missing or has_guess or has_finding:
            return "review"
        return "ok" if sheet.shown in (ShownVersion.WRITTEN, ShownVersion.PROPOSED) else "idle"

    def in_order(self) -> list[ShownFile]:
        return sorted(self.sheets.values(), key=lambda sheet: self.tone(sheet) != "bad")

    def tally(self, sheet: ShownFile) -> str:
        faults = sum(failure.place.file == sheet.file for failure in set(self.failures))
        findings = sum(finding.place.file == sheet.file for _, finding in self.findings)
        annotations = plural(len(self.by_file.get(sheet.file, ())), "annotation")
        said = [plural(faults, "fault")] if faults else []
        said += [f"{annotations} {self.became(sheet)}".strip()] if sheet.file in self.by_file else []
        return ", ".join(said + ([plural(findings, "finding")] if findings else []))

    def became(self, sheet: ShownFile | None) -> str:
        if sheet is None or sheet.shown is ShownVersion.ON_DISK or not self.outcome.is_sound:
            return LEFT
        if sheet.shown is ShownVersion.WRITTEN:
            return "written"
        is_missing = sheet.shown is ShownVersion.PROPOSED and self.invocation.write_back is WriteBack.CHECK
        return "missing" if is_missing else ""
