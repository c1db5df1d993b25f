"""What speaks for an annotation: the card beside its place in the source, and its row in the file's table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.markup import Child, Html, join, tag, unordered
from pdt_annotate.emit.words import TIMES, by_weight, plural, slot_name, spelled
from pdt_annotate.values.slots import Annotation, Observation, Origin

MOST_CALLS = 6
"""Names of example calls that are listed; of more the number is told."""


@dataclass(frozen=True)
class Standing:
    """How sure an origin makes: a class of the style sheet, a word, also for several, and what it means."""

    tone: str
    word: str
    meaning: str
    several: str = ""

    def counted(self, count: int) -> str:
        """ "2 guesses", "3 from the source"."""
        return f"{count} {self.several if self.several and count > 1 else self.word}"


STANDINGS = {
    Origin.EDITED: Standing("told", "edited", "a person decided"),
    Origin.OBSERVED: Standing("sure", "observed", "seen while the examples ran"),
    Origin.SOURCE: Standing("told", "from the source", "no example gave a value; the source tells the type"),
    Origin.REPAIR: Standing("asked", "repair", "the compiler asked for it", "repairs"),
    Origin.GUESS: Standing("guess", "guess", "it compiles, but nothing says that it is right: review it", "guesses"),
}
"""For every origin."""


def badge(origin: Origin) -> Html:
    """The origin as a word on its colour."""
    standing = STANDINGS[origin]
    return tag("span", standing.word, class_=f"badge {standing.tone}")


def card(book: Book, annotation: Annotation) -> Html:
    """What is shown on hover, focus and tap."""
    key = book.keys[annotation.slot]
    title = tag("p", _written(annotation), " ", badge(annotation.origin), class_="what")
    facts = tag("dl", [(tag("dt", name), tag("dd", value)) for name, value in _facts(book, annotation)])
    return tag("div", title, facts, class_="card", id=f"{key}-card", role="tooltip")


def table(book: Book, annotations: Sequence[Annotation]) -> Html:
    """One row for each annotation of a file."""
    names = ("function", "annotation", "origin", "evidence")
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in names]))
    rows = [_row(book, annotation) for annotation in annotations]
    return tag("table", head, tag("tbody", rows), class_="annotations")


def _row(book: Book, annotation: Annotation) -> Html:
    owner = annotation.slot.owner
    sheet = book.sheets.get(owner.file)
    mark = next((each for each in sheet.marks if each.annotation is annotation), None) if sheet else None
    name: Html = tag("code", owner.qualname)
    if sheet and mark:
        name = tag("a", name, href=f"#{sheet.line_id(mark.line)}")
    elif sheet:
        place = book.moved.found(book.places.of_slot(annotation.slot))
        name = tag("a", name, href=f"#{sheet.anchor(place.line)}")
    facts = [tag("li", tag("b", f"{name}: "), value) for name, value in _facts(book, annotation)]
    cells = (name, _written(annotation), badge(annotation.origin), tag("ul", facts, class_="facts"))
    return tag("tr", [tag("td", cell) for cell in cells], id=book.keys[annotation.slot])


def _written(annotation: Annotation) -> Html:
    return tag("code", f"{slot_name(annotation.slot)}: {spelled(annotation)}")


def _facts(book: Book, annotation: Annotation) -> Iterator[tuple[str, Child]]:
    """What is known, by name; what is empty is left out."""
    if annotation.origin is not Origin.OBSERVED:
        yield "why", STANDINGS[annotation.origin].meaning
    if annotation.evidence:
        yield "seen", unordered(_seen(each) for each in by_weight(annotation.evidence))
    if annotation.rules:
        yield "rules", _commas([tag("code", rule) for rule in dict.fromkeys(annotation.rules)])
    if annotation.alternatives:
        yield "also legal", _commas([tag("code", str(each)) for each in annotation.alternatives])
    if annotation.because.strip():
        yield "the compiler said", tag("span", book.said(annotation.because.strip()), class_="said")


def _seen(observation: Observation) -> Child:
    """ "Tensor ×3 in a, b"."""
    calls, more = observation.calls[:MOST_CALLS], len(observation.calls) - MOST_CALLS
    names = [*calls, *([plural(more, "more call")] if more > 0 else [])]
    where = f" in {', '.join(names)}" if names else ""
    return join(tag("code", str(observation.type)), f" {TIMES}{observation.count}{where}")


def _commas(items: Sequence[Html]) -> Html:
    return join(*((", ", item) if index else item for index, item in enumerate(items)))
