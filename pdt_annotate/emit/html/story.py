"""The head of the page: how the run ended, and what was asked, what was found and what was written."""

from __future__ import annotations

from collections.abc import Iterator

from pdt_annotate.emit.html.book import Book, SheetText
from pdt_annotate.emit.html.ending import EXIT_CODES, ending_of, has_no_result, judged_unwritten, why_not
from pdt_annotate.emit.html.markup import Child, Html, command, join, path, prose, tag, unordered
from pdt_annotate.emit.html.sieve import sign
from pdt_annotate.emit.module_tree import in_the_way
from pdt_annotate.emit.words import is_failed, judgement, plural, tally
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values import shell

MOST_OPEN = 5
"""Files that are listed; more are folded."""

ASKED = {
    WriteBack.IN_PLACE: "Annotate it, verify that, and write it into the files",
    WriteBack.DIFF: "Show what would be written, and write nothing (`--diff`)",
    WriteBack.CHECK: "Tell whether annotations are missing, and write nothing (`--check`)",
    WriteBack.STUBS: "Annotate it, verify that, and write stubs (`--stubs`)",
    WriteBack.NOTHING: "Script it as it stands, and compare its answers with those of Python (`verify`)",
}

NOT_WRITTEN = {
    WriteBack.DIFF: "Nothing: it was a dry run.",
    WriteBack.CHECK: "Nothing: it was a check.",
    WriteBack.NOTHING: "Nothing: what is there was judged.",
}


UNTOUCHED = "Nothing. Every file is as it was."
UNTOLD = "Nothing, unless the terminal says so."
EXIT_BUG = 70
"""From here on: also what signals end."""


def banner(book: Book) -> Html:
    """The verdict in a sentence, and the exit code."""
    ending = ending_of(book.outcome, book.invocation)
    code = book.invocation.exit_code
    meaning = f" ({EXIT_CODES[code]})" if code in EXIT_CODES else ""
    ended = tag("span", f"Exit code {code}{meaning}", class_="ended")
    return tag("p", sign(ending.tone), tag("span", f"{ending.sentence}."), " ", ended, class_=f"banner {ending.tone}")


def story(book: Book) -> Html:
    """What was asked, what was found, what was written."""
    told = {
        "What was asked": _asked(book),
        "What was found": unordered(_found(book), class_="plain"),
        "What was written": _written(book),
    }
    return tag("dl", [tag("div", tag("dt", name), tag("dd", said)) for name, said in told.items()], class_="story")


def _asked(book: Book) -> Html:
    invocation = book.invocation
    alone = ", from a profile alone, of which nothing is run" if book.outcome.text_only else ""
    typed = [book.said(shell.join((word,))) for word in invocation.words]
    return join(tag("p", prose(ASKED[invocation.write_back]), f"{alone}."), command(typed) if typed else None)


def _found(book: Book) -> Iterator[Child]:
    outcome = book.outcome
    if has_no_result(outcome, book.invocation):
        yield "Nothing: it ended before there was a result"
        return
    with_them = "with the annotations, " if judged_unwritten(outcome, book.invocation) else ""
    judged = why_not(outcome) if is_failed(outcome) else with_them + judgement(outcome)
    yield judged[:1].upper() + judged[1:]
    yield from _parts(book)
    if book.invocation.write_back is not WriteBack.NOTHING:
        annotations, files = plural(len(book.annotations), "annotation"), plural(len(book.by_file), "file")
        yield f"{annotations} in {files}" if book.annotations else "no annotation is needed"
    counts = {
        "guess to review|guesses to review": len(book.guesses),
        "change of code|changes of code": len(outcome.mends),
        "finding|findings": len(book.findings),
        "finding that is ignored|findings that are ignored": len(outcome.ignored),
        "function that no example enters|functions that no example enters": len(outcome.unreached),
    }
    for nouns, count in counts.items():
        one, several = nouns.split("|")
        if count:
            yield f"{count} {one if count == 1 else several}"


def _parts(book: Book) -> Iterator[Child]:
    """Which of several targets failed, and how many lines and modules of those are at fault."""
    outcome = book.outcome
    without = [target for each in book.invocation.without_result for target in each.targets]
    if len(outcome.targets) + len(without) > 1:
        failing, of = len(outcome.blame), plural(len(outcome.targets) + len(without), "target")
        names = ", ".join(book.said(blame.target.text) for blame in outcome.blame)
        if failing or not without:
            yield f"{failing} of {of} failed: {names}" if failing else f"{of}, none of which failed"
    if without:
        yield f"no result for {', '.join(map(book.said, without))}"
    yield from filter(None, map(in_the_way, outcome.blame))


def _written(book: Book) -> Html:
    outcome, invocation = book.outcome, book.invocation
    copies = _copies(book)
    if has_no_result(outcome, invocation):
        return tag("p", UNTOLD if invocation.exit_code >= EXIT_BUG else UNTOUCHED)
    if invocation.write_back in NOT_WRITTEN:
        return join(tag("p", NOT_WRITTEN[invocation.write_back], " Every file is as it was."), copies)
    if not outcome.is_sound:
        return tag("p", "Nothing, because it is not verified. Every file is as it was.")
    if not outcome.changes:
        return join(tag("p", "Nothing: no file of the project changes."), copies)
    annotations, files = tally(outcome)
    if invocation.write_back is WriteBack.STUBS:
        where = tag("code", book.said(invocation.stubs))
        return join(tag("p", f"Stubs of {files}, with {annotations}, below ", where, "; no source is changed."), copies)
    return join(tag("p", f"{annotations} into {files}:"), _files(book), copies)


def _files(book: Book) -> Html | None:
    sheets = [sheet for sheet in book.sheets.values() if sheet.shown is SheetText.WRITTEN]
    listed = unordered((tag("a", path(sheet.path), href=f"#{sheet.key}") for sheet in sheets), class_="plain")
    if len(sheets) <= MOST_OPEN:
        return listed
    return tag("details", tag("summary", f"The {len(sheets)} files"), listed)


def _copies(book: Book) -> Html | None:
    """What became of the annotated copies of third-party files."""
    if not book.outcome.overlaid:
        return None
    files = plural(len(book.outcome.overlaid), "third-party file")
    overlay = book.invocation.overlay
    if not overlay:
        return tag("p", f"Of {files} there are annotated copies below; ", prose("`--overlay DIR` writes them."))
    verb = "would be" if book.invocation.write_back in NOT_WRITTEN else "are"
    return tag("p", f"Annotated copies of {files} {verb} in ", tag("code", book.said(overlay)), ".")
