"""The source: numbered lines, each annotation with its evidence, each finding and fault with its code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.emit.files.notes import Mark
from pdt_annotate.emit.html.book import Book, Sheet, SheetText, Told
from pdt_annotate.emit.html.evidence import STANDINGS, card
from pdt_annotate.emit.html.highlight import Highlighted, highlight
from pdt_annotate.emit.html.markup import Html, escape, join, tag

NAMES = {
    SheetText.WRITTEN: "Source, as it was written",
    SheetText.PROPOSED: "Source, as it would be written",
    SheetText.COPY: "Annotated copy",
    SheetText.ON_DISK: "Source, around what is told of it",
}

NOTES = {
    SheetText.PROPOSED: "Nothing of this is written. Numbers are those of the lines on disk; new lines have none.",
    SheetText.COPY: "The file itself stays as it is. Numbers are those of its lines, among which new ones have none.",
}
"""What a reader could take the text for, and it is not."""


def listing(book: Book, sheet: Sheet) -> Html:
    """The lines that are shown of a file."""
    spans = highlight("\n".join(sheet.lines.after))
    marks: dict[int, list[Mark]] = defaultdict(list)
    for mark in sheet.marks:
        marks[mark.line].append(mark)
    told = book.told_at(sheet)
    rows = [
        join(_gap(sheet, before, line), _row(book, sheet, line, painted, told.get(line, ())))
        for before, line in zip((0, *sheet.listed), sheet.listed, strict=False)
        for painted in [_Line(book, sheet.lines.after[line - 1], spans.get(line, ())).paint(marks[line])]
    ]
    note = tag("p", NOTES[sheet.shown], class_="count") if sheet.shown in NOTES else None
    return join(note, tag("div", rows, class_="code"))


def _gap(sheet: Sheet, before: int, line: int) -> Html | None:
    """Tells of lines that are left out above one."""
    return tag("div", f"{line - before - 1} lines", class_="hunk") if line > before + 1 else None


def _flag(book: Book, told: Told) -> Html:
    """A link from a line to what is told of it."""
    return tag("a", told.code, class_=f"flag {told.tone}", href=f"#{told.key}", title=book.said(told.message))


def _row(book: Book, sheet: Sheet, line: int, painted: Html, told: Sequence[Told]) -> Html:
    changed = line in sheet.lines.changed
    identity = sheet.line_id(line)
    number = sheet.numbers.get(line)
    return tag(
        "div",
        tag("a", str(number), class_="no", href=f"#{identity}", tabindex=-1) if number else tag("span", class_="no"),
        tag("span", "+" if changed else "", class_="sign"),
        tag("div", painted, [_flag(book, each) for each in told], "\n", class_="text"),
        id=identity,
        class_=" ".join(["row", *(["added"] if changed else []), *dict.fromkeys(each.tone for each in told)]),
    )


@dataclass(frozen=True)
class _Line:
    """One line and what its characters are."""

    book: Book
    text: str
    spans: Sequence[Highlighted]

    def paint(self, marks: Sequence[Mark]) -> Html:
        """The line in colours, its annotations in frames of their own."""
        pieces, done = [], 0
        for mark in marks:
            pieces += [*self._colours(done, mark.start), self._note(mark)]
            done = mark.end
        return join(*pieces, *self._colours(done, len(self.text)))

    def _note(self, mark: Mark) -> Html:
        annotation = mark.annotation
        key = self.book.keys[annotation.slot]
        tone = STANDINGS[annotation.origin].tone
        colours = self._colours(mark.start, mark.end)
        written = tag("span", colours, class_=f"mark {tone}", tabindex=0, aria_describedby=f"{key}-card")
        return tag("div", written, card(self.book, annotation), class_="note")

    def _colours(self, start: int, end: int) -> Iterator[Html]:
        """The characters from `start` to `end`, each span of a kind in an element."""
        for span in self.spans:
            low, high = max(span.start, start), min(span.end, end)
            if low < high:
                yield escape(self.text[start:low])
                yield tag("span", self.text[low:high], class_=span.kind)
                start = high
        yield escape(self.text[start:end])
