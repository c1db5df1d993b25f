"""The findings, grouped by code: what each says, where, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.markup import Html, join, prose, tag
from pdt_annotate.findings import catalogue
from pdt_annotate.values.slots import Finding

Keyed = tuple[str, Finding]

MOST_OPEN = 20
"""Findings of a code that are not folded."""


def advice(book: Book) -> Html:
    """The section's content; the buttons that filter it work with the page's script, and are hidden without it."""
    groups = [(code, list(group)) for code, group in groupby(book.findings, key=lambda each: each[1].code)]
    if not groups:
        return tag("p", "None: there is nothing to know or to do.")
    return join(_filter(groups) if len(groups) > 1 else None, *(_group(book, code, found) for code, found in groups))


def _filter(groups: Sequence[tuple[str, Sequence[Keyed]]]) -> Html:
    buttons = [
        tag("button", f"{code} ({len(found)})", type="button", data_code=code, aria_pressed="true")
        for code, found in groups
    ]
    return tag(
        "div", tag("span", "Show "), buttons, class_="filter", role="group", aria_label="Filter by code", hidden=True
    )


def _group(book: Book, code: str, found: Sequence[Keyed]) -> Html:
    entry = catalogue.entry(code)
    title = tag("h3", tag("b", code, class_="code-name"), " ", prose(entry.title), f" ({len(found)})")
    return tag(
        "details",
        tag("summary", title),
        tag("p", prose(entry.meaning)),
        tag("ul", [_item(book, key, finding) for key, finding in found]),
        tag("p", "→ ", prose(entry.advice), class_="advice"),
        class_="group",
        data_code=code,
        open=len(found) <= MOST_OPEN,
    )


def _item(book: Book, key: str, finding: Finding) -> Html:
    where = book.place(finding.place)
    return tag("li", where, ": " if where else None, prose(book.said(finding.message)), id=key)
