"""`--html FILE`: one self-contained page for people who look, readable offline and without JavaScript.

templates/  each section of a page is a file; `outcome.html` and `captures.html` extend `sections.html` and `page.html`
document    fills a template, under a policy that lets nothing else into the page
book        the files, annotations and findings of an outcome, with the keys by which they refer to each other
view        how the run ended, what was found, what to do, what the judges said, and its tree of modules or functions
source      a file's lines with evidence and flags, and how two versions of a file differ
captures    the page of captures
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pdt_annotate.emit.files import write_document
from pdt_annotate.emit.html import captures, view
from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.document import PageSection, page
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.messages import NOTHING_TO_MEND
from pdt_annotate.values.captures import Captures
from pdt_annotate.values.exits import MEANINGS
from pdt_annotate.values.outcome import Outcome


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """The page as UTF-8 bytes, the same for the same outcome, command and versions."""
    book = Book(outcome, invocation)
    known = [target.text for target in outcome.targets]
    names = dict.fromkeys([*known, *invocation.targets_without_result])
    title = ", ".join(map(book.said, names)) or "From a profile"
    shown = {
        "heading": title,
        "book": book,
        "ending": view.ending_of(outcome, invocation),
        "exit_meaning": MEANINGS[invocation.exit_code] if invocation.exit_code else "",
        "has_no_result": view.has_no_result(outcome, invocation),
        "found": view.found(book),
        "standings": view.STANDINGS,
        "NOTHING_TO_MEND": NOTHING_TO_MEND,
        "sections": list(_sections(book)),
    }
    return page("outcome.html", title, shown).encode()


def _sections(book: Book) -> Iterator[PageSection]:
    outcome = book.outcome
    if book.invocation.without_result:
        yield PageSection("errors", "What happened", about=view.errors(book))
    yield PageSection("steps", "What to do", about=view.faults(book))
    if outcome.blame:
        yield PageSection("modules", "Modules", about=view.modules_of(book))
    if (outcome.all_changes or not outcome.blame) and (book.annotations or outcome.unreached):
        yield PageSection("functions", view.functions_heading(book), about=view.functions_of(book))
    if outcome.mends or outcome.advised:
        yield PageSection("mends", "Changes of code")
    if book.findings:
        yield PageSection("findings", "Findings")
    if outcome.overlaid:
        yield PageSection("third-party", "Third-party files")
    if book.sheets:
        yield PageSection("files", "Files")
    named = "Made with" if view.has_no_result(outcome, book.invocation) else "How it was judged"
    yield PageSection("judges", named, about=view.judges(outcome))


def emit_captures(found: Sequence[Captures], file: str) -> None:
    write_document(file, captures.captures_page(found).encode())
