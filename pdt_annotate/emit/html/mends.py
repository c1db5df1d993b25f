"""The changes of code: what they do, where, and the message that asked for each."""

from __future__ import annotations

from collections.abc import Sequence

from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.markup import Html, join, prose, tag
from pdt_annotate.emit.words import by_message, promise
from pdt_annotate.values.mends import Mend

PROMISES = {
    "exact": "Python behaves as before, by construction",
    "frozen": "Python behaves as before for the configuration that was observed",
    "scripted": "Python does not change; the scripted model lacks what is left out",
}
"""By kind."""


def mends(book: Book) -> Html:
    """The section's content: what is changed, or what would have helped."""
    advised = book.outcome.advised
    made = _table(book, book.outcome.mends) if book.outcome.mends else None
    if advised is None:
        return join(made)
    option = tag("code", f"--mend {advised.level.value}")
    lead = tag("p", "With ", option, f" it would script: {promise(advised)}.", class_="advice")
    return join(made, lead, _table(book, advised.mends))


def _table(book: Book, mends: Sequence[Mend]) -> Html:
    names = ("place", "function", "kind", "change", "the compiler said")
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in names]))
    rows = [_row(book, mend) for group in by_message(mends).values() for mend in group]
    return tag("table", head, tag("tbody", rows), class_="annotations")


def _row(book: Book, mend: Mend) -> Html:
    kind = tag("span", mend.kind.value, class_="badge", title=PROMISES[mend.kind.value])
    left_out = tag("p", "Left out of the scripted model: ", prose(book.said(mend.left_out))) if mend.left_out else None
    change = join(prose(book.said(mend.summary)), " (", tag("code", mend.rewrite), ")", left_out)
    said = tag("span", book.said(mend.because.strip()), class_="said")
    cells = (book.place(mend.place), tag("code", mend.owner.qualname), kind, change, said)
    return tag("tr", [tag("td", cell) for cell in cells])
