"""The annotated source: numbered lines, each annotation with its evidence, each finding with its code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.emit.files.marks import Mark
from pdt_annotate.emit.html.book import Book, Sheet
from pdt_annotate.emit.html.evidence import STANDINGS, card
from pdt_annotate.emit.html.highlight import Highlighted, highlight
from pdt_annotate.emit.html.markup import Html, escape, join, tag
from pdt_annotate.values.slots import Finding


def listing(book: Book, sheet: Sheet) -> Html:
    """All lines of a file after the rewrite."""
    spans = highlight("\n".join(sheet.lines.after))
    marks: dict[int, list[Mark]] = defaultdict(list)
    for mark in sheet.marks:
        marks[mark.line].append(mark)
    found = book.findings_at(sheet)
    rows = [
        _row(sheet, number, _Line(book, text, spans.get(number, ())).paint(marks[number]), _flags(book, found[number]))
        for number, text in enumerate(sheet.lines.after, 1)
    ]
    return tag("div", rows, class_="code")


def _flags(book: Book, found: Sequence[tuple[str, Finding]]) -> list[Html]:
    """Links from a line to its findings."""
    return [tag("a", each.code, class_="flag", href=f"#{key}", title=book.said(each.message)) for key, each in found]


def _row(sheet: Sheet, number: int, painted: Html, flags: Sequence[Html]) -> Html:
    added = number in sheet.lines.changed
    identity = sheet.line_id(number)
    return tag(
        "div",
        tag("a", str(number), class_="no", href=f"#{identity}", tabindex=-1),
        tag("span", "+" if added else "", class_="sign"),
        tag("div", painted, flags, "\n", class_="text"),
        id=identity,
        class_="row added" if added else "row",
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
