"""The page of an outcome: what was asked, found and written, what is to be done, and section by section the rest."""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.emit.html.advice import advice
from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.document import PageSection, document, landmarks
from pdt_annotate.emit.html.ending import has_no_result
from pdt_annotate.emit.html.errors import errors
from pdt_annotate.emit.html.markup import Html, join
from pdt_annotate.emit.html.mends import mends
from pdt_annotate.emit.html.modules import functions, heading, modules
from pdt_annotate.emit.html.sheets import contents, sheets, third_party
from pdt_annotate.emit.html.steps import steps
from pdt_annotate.emit.html.story import banner, story
from pdt_annotate.emit.html.summary import summary


def page(book: Book) -> Html:
    """The document."""
    known = dict.fromkeys(target.text for target in book.outcome.targets)
    without = dict.fromkeys(target for each in book.invocation.without_result for target in each.targets)
    title = ", ".join(map(book.said, known | without)) or "From a profile"
    head = join(banner(book), story(book))
    return document(title, landmarks(title, head, list(_sections(book))))


def _sections(book: Book) -> Iterator[PageSection]:
    outcome = book.outcome
    if book.invocation.without_result:
        yield PageSection("errors", "What happened", errors(book))
    yield PageSection("steps", "What to do", steps(book))
    if outcome.blame:
        yield PageSection("modules", "Modules", modules(book))
    if (outcome.all_changes or not outcome.blame) and (book.annotations or outcome.unreached):
        yield PageSection("functions", heading(book), functions(book))
    if outcome.mends or outcome.advised:
        yield PageSection("mends", "Changes of code", mends(book))
    if book.findings:
        yield PageSection("findings", "Findings", advice(book))
    if outcome.overlaid:
        yield PageSection("third-party", "Third-party files", third_party(book))
    if book.sheets:
        yield PageSection("files", "Files", sheets(book), contents(book))
    named = "Made with" if has_no_result(outcome, book.invocation) else "How it was judged"
    yield PageSection("judges", named, summary(book))
