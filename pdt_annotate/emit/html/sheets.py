"""The files: of each its annotations, its source and the diff, folded so that many files stay usable."""

from __future__ import annotations

from pdt_annotate.emit.html.book import Book, Sheet, SheetText
from pdt_annotate.emit.html.difference import difference
from pdt_annotate.emit.html.evidence import table
from pdt_annotate.emit.html.markup import Child, Html, join, path, prose, tag, unordered
from pdt_annotate.emit.html.sieve import sieve, sign
from pdt_annotate.emit.html.source import NAMES, listing
from pdt_annotate.emit.words import plural
from pdt_annotate.settings.options import WriteBack

MOST_OPEN = 3
"""Of more files each is folded, but for those with a fault."""

THIRD_PARTY = "Annotated copies of these go to an overlay (`--overlay DIR`); the files stay as they are."

LEFT = "found, not written"

TONES = {"bad": "with faults", "review": "to review", "idle": "as they were", "ok": "with nothing to do"}
"""What a tone means of a file."""


def sheets(book: Book) -> Html:
    """The files that change, and those in which something lies that is told."""
    shown = _in_order(book)
    tones = {sheet.key: book.tone(sheet) for sheet in shown}
    opened = shown if len(shown) <= MOST_OPEN else [sheet for sheet in shown[:MOST_OPEN] if tones[sheet.key] == "bad"]
    files = [_sheet(book, sheet, tones[sheet.key], opened=sheet in opened) for sheet in shown]
    return join(sieve("files", tones.values(), TONES), _tools() if len(files) > 1 else None, files)


def _in_order(book: Book) -> list[Sheet]:
    """Those with faults first."""
    return sorted(book.sheets.values(), key=lambda sheet: book.tone(sheet) != "bad")


def _tools() -> Html:
    """Buttons that work with the page's script, and are hidden without it."""
    buttons = [
        tag("button", f"{word} all files", type="button", data_fold=fold)
        for word, fold in (("Unfold", "open"), ("Fold", "shut"))
    ]
    return tag("div", buttons, class_="tools", hidden=True)


def contents(book: Book) -> Html | None:
    """A link to each file."""
    return unordered(tag("a", path(sheet.path), href=f"#{sheet.key}") for sheet in _in_order(book))


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


def _sheet(book: Book, sheet: Sheet, tone: str, *, opened: bool) -> Html:
    annotations = book.by_file.get(sheet.file, ())
    origin = tag("span", f"third party: {sheet.module}, overlay only", class_="badge") if sheet.module else None
    count = tag("span", tally(book, sheet), class_="count")
    changes = sheet.shown is not SheetText.ON_DISK
    return tag(
        "details",
        tag("summary", sign(tone), " ", tag("h3", path(sheet.path)), " ", count, " ", origin),
        _folded("evidence", "Annotations and their evidence", table(book, annotations)) if annotations else None,
        _folded("source", NAMES[sheet.shown], listing(book, sheet), opened=True),
        _folded("changes", "Diff", difference(sheet.lines)) if changes else None,
        class_=f"file {tone}",
        id=sheet.key,
        data_name=f"{sheet.path} {_functions(book, sheet)}".lower(),
        data_tone=tone,
        open=opened,
    )


def tally(book: Book, sheet: Sheet) -> str:
    """ "2 annotations missing, 1 fault": what there is of a file."""
    faults = sum(failure.place.file == sheet.file for failure in set(book.failures))
    findings = sum(finding.place.file == sheet.file for _, finding in book.findings)
    annotations = plural(len(book.by_file.get(sheet.file, ())), "annotation")
    counts = {
        plural(faults, "fault"): faults,
        f"{annotations} {became(book, sheet)}".strip(): sheet.file in book.by_file,
        plural(findings, "finding"): findings,
    }
    return ", ".join(text for text, count in counts.items() if count)


def became(book: Book, sheet: Sheet | None) -> str:
    """What became of the annotations of a file."""
    if sheet is None or sheet.shown is SheetText.ON_DISK or not book.outcome.is_sound:
        return LEFT
    if sheet.shown is SheetText.WRITTEN:
        return "written"
    is_missing = sheet.shown is SheetText.PROPOSED and book.invocation.write_back is WriteBack.CHECK
    return "missing" if is_missing else ""


def _folded(view: str, name: str, content: Child, *, opened: bool = False) -> Html:
    return tag("details", tag("summary", tag("h4", name)), content, class_=f"view {view}", open=opened)
