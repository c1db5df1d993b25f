"""The page of an outcome: what it has, section by section."""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.emit.html.advice import advice
from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.document import PageSection, document, landmarks
from pdt_annotate.emit.html.markup import Html
from pdt_annotate.emit.html.mends import mends
from pdt_annotate.emit.html.modules import modules
from pdt_annotate.emit.html.sheets import contents, sheets, third_party
from pdt_annotate.emit.html.summary import banner, summary


def page(book: Book) -> Html:
    """The document."""
    title = ", ".join(book.said(target.text) for target in book.outcome.targets) or "profile"
    return document(title, landmarks(title, banner(book.outcome), list(_sections(book))))


def _sections(book: Book) -> Iterator[PageSection]:
    outcome = book.outcome
    yield PageSection("summary", "Summary", summary(book))
    yield PageSection("modules", "Modules" if outcome.blame else "Functions", modules(book))
    if outcome.mends or outcome.advised:
        yield PageSection("mends", "Changes of code", mends(book))
    yield PageSection("findings", "Findings", advice(book))
    if outcome.overlaid:
        yield PageSection("third-party", "Third-party files", third_party(book))
    yield PageSection("files", "Files", sheets(book), contents(book))
