"""The files: of each its annotations, the annotated source and the diff, folded so that many files stay usable."""

from __future__ import annotations

from pdt_annotate.emit.html.book import Book, Sheet
from pdt_annotate.emit.html.difference import difference
from pdt_annotate.emit.html.evidence import table
from pdt_annotate.emit.html.markup import Child, Html, join, prose, tag, unordered
from pdt_annotate.emit.html.source import listing
from pdt_annotate.emit.words import plural

MOST_OPEN = 3
"""Of more files each is folded."""

THIRD_PARTY = "Annotated copies of these go to an overlay (`--overlay DIR`); the files stay as they are."

VIEWS = {"evidence": "Annotations and their evidence", "source": "Annotated source", "changes": "Diff"}
"""By class of the style sheet: what is shown of a file."""


def sheets(book: Book) -> Html:
    """The changed files, and the tables of those in which nothing may change because the whole failed."""
    shown = book.sheets
    opened = len(shown) <= MOST_OPEN
    files = [_sheet(book, sheet, opened=opened) for sheet in shown.values()]
    waiting = [_waiting(book, file) for file in book.by_file if file not in shown]
    return (
        join(_tools() if len(files) > 1 else None, files, waiting) if files or waiting else tag("p", "No file changes.")
    )


def _tools() -> Html:
    """Buttons that work with the page's script, and are hidden without it."""
    buttons = [
        tag("button", f"{word} all files", type="button", data_fold=fold)
        for word, fold in (("Unfold", "open"), ("Fold", "shut"))
    ]
    return tag("div", buttons, class_="tools", hidden=True)


def contents(book: Book) -> Html | None:
    """A link to each file."""
    return unordered(tag("a", sheet.path, href=f"#{sheet.key}") for sheet in book.sheets.values())


def third_party(book: Book) -> Html:
    """What belongs in an overlay: modules outside the root, which are never written in place."""
    items = [
        join(tag("code", sheet.module), " ", tag("a", sheet.path, href=f"#{sheet.key}"), ": ", _functions(book, sheet))
        for sheet in book.sheets.values()
        if sheet.module
    ]
    return join(tag("p", prose(THIRD_PARTY)), unordered(items))


def _functions(book: Book, sheet: Sheet) -> str:
    return ", ".join(dict.fromkeys(each.slot.owner.qualname for each in book.by_file.get(sheet.file, ())))


def _sheet(book: Book, sheet: Sheet, *, opened: bool) -> Html:
    annotations = book.by_file.get(sheet.file, ())
    origin = tag("span", f"third party: {sheet.module}, overlay only", class_="badge") if sheet.module else None
    count = tag("span", plural(len(annotations), "annotation"), class_="count")
    return tag(
        "details",
        tag("summary", tag("h3", sheet.path), " ", count, " ", origin),
        _folded("evidence", table(book, annotations)) if annotations else None,
        _folded("source", listing(book, sheet), opened=True),
        _folded("changes", difference(sheet.lines)),
        class_="file",
        id=sheet.key,
        open=opened,
    )


def _waiting(book: Book, file: str) -> Html:
    annotations = book.by_file[file]
    return tag(
        "details",
        tag("summary", tag("h3", book.path(file)), " ", tag("span", "unchanged", class_="badge")),
        tag("p", f"{plural(len(annotations), 'annotation')} found here; nothing is written, since the whole fails."),
        table(book, annotations),
        class_="file",
        open=True,
    )


def _folded(view: str, content: Child, *, opened: bool = False) -> Html:
    return tag("details", tag("summary", tag("h4", VIEWS[view])), content, class_=f"view {view}", open=opened)
