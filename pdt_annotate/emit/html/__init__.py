"""`--html FILE`: one self-contained page for people who look, readable offline and without JavaScript.

book        what is shown: files, annotations and findings in order, with the keys by which they refer to each other
summary     the verdict, the counts, what failed
modules     the tree, coloured by verdict
mends       the changes of code, made or advised
advice      the findings by code
sheets      each file: table of evidence, annotated source (`source`), diff (`difference`)
page        all of it
captures    the page of captures, which has sections of its own; `beside` compares two programs
document    what every page is: head, style and script, landmarks, under a policy that lets nothing else in
"""

from __future__ import annotations

from collections.abc import Sequence

from pdt_annotate.emit.files.atomic import write_document
from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.captures import captures_page
from pdt_annotate.emit.html.page import page
from pdt_annotate.values.captures import Captures
from pdt_annotate.values.outcome import Outcome


def emit(outcome: Outcome, file: str) -> None:
    """Write the page.

    Raises:
        UserError: the file cannot be written.
    """
    write_document(file, render(outcome))


def emit_captures(found: Sequence[Captures], file: str) -> None:
    """Write the page of captures.

    Raises:
        UserError: the file cannot be written.
    """
    write_document(file, captures_page(found).encode())


def render(outcome: Outcome) -> bytes:
    """The page as UTF-8 bytes, the same for the same outcome and versions."""
    return page(Book(outcome)).encode()
