"""`--html FILE`: one self-contained page for people who look, readable offline and without JavaScript.

book        what is shown: files, annotations and findings in order, with the keys by which they refer to each other
ending      how the run ended, for what was asked, in a sentence
story       the head: that sentence; what was asked, found and written
errors      what ended runs of which nothing came
steps       what to do now
modules     the tree, coloured by verdict, what fails first; `sieve` filters it
mends       the changes of code, made or advised
advice      the findings by code
sheets      each file: table of evidence, source (`source`), diff (`difference`)
summary     what the judges said
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
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.values.captures import Captures
from pdt_annotate.values.outcome import Outcome


def emit_captures(found: Sequence[Captures], file: str) -> None:
    """Write the page of captures.

    Raises:
        UserError: the file cannot be written.
    """
    write_document(file, captures_page(found).encode())


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """The page as UTF-8 bytes, the same for the same outcome, command and versions."""
    return page(Book(outcome, invocation)).encode()
