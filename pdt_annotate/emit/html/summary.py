"""How it was judged: by whom, why the no where one said no, and with which versions."""

from __future__ import annotations

from itertools import groupby

from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.markup import Html, join, prose, tag, unordered
from pdt_annotate.emit.words import TIMES, first_failures
from pdt_annotate.findings import catalogue, messages
from pdt_annotate.settings.versions import versions
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.verdicts import Failure, Verdict


def summary(book: Book) -> Html:
    """The section's content."""
    failures = [_failure(book, verdict) for verdict in first_failures(book.outcome.verdicts)]
    return join(_judges(book.outcome), failures, _versions(book.outcome.python))


def _judges(outcome: Outcome) -> Html | None:
    """What each judge said, one that said the same of several calls once."""
    runs = groupby(outcome.verdicts, key=lambda verdict: (verdict.judge, verdict.ok))
    items = [_judge(name, ok, len(list(group))) for (name, ok), group in runs]
    return unordered(items, class_="judges", aria_label="What the judges said")


def _judge(name: str, ok: bool, count: int) -> Html:
    times = f" {TIMES}{count}" if count > 1 else ""
    tone, sign, said = ("ok", "✓ ", "yes") if ok else ("bad", "✗ ", "no")
    return tag("span", sign, name, times, tag("span", f": {said}", class_="unseen"), class_=tone)


def _failure(book: Book, verdict: Verdict) -> Html:
    """Why a judge said no: what it means, where, what to do, and what was said."""
    entry = catalogue.entry(messages.code_of(verdict))
    head = tag("summary", tag("h3", "Verification failed: ", verdict.judge))
    title = tag("p", tag("b", entry.code, class_="code-name"), " ", prose(entry.title))
    said = [_said(book, verdict.failure)] if verdict.failure else [tag("p", book.said(verdict.note))]
    advice = tag("p", "→ ", prose(entry.advice), class_="advice")
    # The tree of modules tells the same, with more.
    return tag("details", head, title, said, advice, class_="failure", open=not book.outcome.blame)


def _said(book: Book, failure: Failure) -> Html:
    where = book.place(failure.place, judged=True)
    line = book.source_line(failure.place, judged=True)
    chain = [join("called from ", book.place(place, judged=True)) for place in failure.chain]
    message = book.said(failure.message.strip())
    text = book.said(failure.text.strip())
    full = tag("details", tag("summary", "All that was said"), tag("pre", text)) if text not in ("", message) else None
    return join(
        tag("p", "at ", where) if where else None,
        tag("pre", line) if line else None,
        unordered(chain),
        tag("p", "on the example call ", tag("code", failure.call)) if failure.call else None,
        tag("p", f"{failure.kind or 'The judge'} said:"),
        tag("pre", message),
        full,
    )


def _versions(python: str) -> Html:
    known = {name: version for name, version in versions(python).items() if version}
    return tag("p", " · ".join(f"{name} {version}" for name, version in known.items()), class_="versions")
