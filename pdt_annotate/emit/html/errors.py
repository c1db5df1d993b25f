"""What ended runs before there was anything to tell of them: of which targets, what was said, and where."""

from __future__ import annotations

from itertools import groupby

from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.markup import Html, join, path, tag
from pdt_annotate.emit.machine.invocation import NoResult


def errors(book: Book) -> Html:
    """The section's content; what several targets share is told once."""
    groups = groupby(book.invocation.without_result, key=lambda each: (each.message, each.place))
    return join(*(_error(book, list(same)) for _, same in groups))


def _error(book: Book, same: list[NoResult]) -> Html:
    error = same[0]
    targets = [book.said(target) for each in same for target in each.targets]
    where = book.link(error.place)
    return tag(
        "div",
        tag("p", [(", " if index else "", tag("b", path(name))) for index, name in enumerate(targets)]),
        tag("pre", book.said(error.message.strip())),
        tag("p", "at ", where) if where else None,
        class_="failure",
    )
