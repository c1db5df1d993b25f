"""What to do now: about faults first, then what was asked for and is not done yet, then what is to be looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby

from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.markup import Child, Html, join, prose, tag, unordered
from pdt_annotate.emit.messages import LACKING, NOTHING_TO_MEND, Message, Messages
from pdt_annotate.emit.words import first_line, plural, promise, renewing, slot_name, spelled
from pdt_annotate.findings import catalogue
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.slots import Annotation, Severity

MOST = 8
"""Of more of a kind the rest is counted."""

DONE = "Nothing: all is done."

TO_WRITE = {
    WriteBack.CHECK: "Write what is missing: the same command without `--check` does, and with `--diff` shows it.",
    WriteBack.DIFF: "Write it: the same command without `--diff` does.",
}


def steps(book: Book) -> Html:
    """The section's content."""
    messages = Messages(book.outcome, replace(book.invocation, base=book.outcome.root)).all()
    faults = [each for each in messages if each.severity is Severity.ERROR and each.code not in LACKING]
    told = {each.code for each in faults}
    done = [*_begin_again(book), *_mend_faults(book, faults), *_write(book, told), *_review(book, told)]
    return tag("ol", [tag("li", each) for each in done], class_="steps") if done else tag("p", DONE)


def _begin_again(book: Book) -> Iterator[Child]:
    """What to do about what ended a run."""
    without = book.invocation.without_result
    hints = dict.fromkeys(book.said(each.hint) for each in without if each.hint)
    yield from (prose(hint[:1].upper() + hint[1:]) for hint in hints)
    if any(not each.hint for each in without):
        yield "Mend what is told above, and run the command again."


def _mend_faults(book: Book, faults: Iterable[Message]) -> Iterator[Child]:
    """An entry for each code of what failed, with its places and what to do."""
    for code, group in groupby(sorted(faults, key=lambda each: each.code), key=lambda each: each.code):
        yield _mend_fault(book, code, list(group))
    advised = book.outcome.advised
    if advised:
        option, link = tag("code", f"--mend {advised.level.value}"), tag("a", "changes of code", href="#mends")
        yield join("Or let the tool do it: with ", option, f" it would script, by {promise(advised)} (", link, ").")


def _mend_fault(book: Book, code: str, found: list[Message]) -> Html:
    title = tag("p", tag("b", code, class_="code-name"), " ", prose(catalogue.entry(code).title))
    places = [_at(book, each) for each in found[:MOST]]
    advice = list(dict.fromkeys(so for each in found for so in each.steps))[:MOST]
    said = [tag("p", "→ ", prose(book.said(each)), class_="advice") for each in advice]
    return join(title, unordered([*places, *_rest(found)]), said)


def _at(book: Book, message: Message) -> Html:
    where = book.link(message.place)
    return join(where, ": " if where else None, prose(book.said(first_line(message.said or message.text))))


def _rest(found: list[Message]) -> list[str]:
    return [f"and {plural(len(found) - MOST, 'more place')}"] if len(found) > MOST else []


def _write(book: Book, told: set[str]) -> Iterator[Child]:
    outcome, write_back = book.outcome, book.invocation.write_back
    if outcome.is_sound and outcome.changes and write_back in TO_WRITE:
        yield prose(TO_WRITE[write_back])
    if outcome.outdated and told.isdisjoint(finding.code for finding in outcome.outdated.findings):
        yield prose(renewing(outcome.outdated))
    if outcome.text_only:
        yield prose("Have it verified: give example inputs (`-i`), which are run and scripted.")


def _review(book: Book, told: set[str]) -> Iterator[Child]:
    """An entry for guesses, and one for each code of findings that ask for something else than was told."""
    found = {finding.slot for _, finding in book.findings}
    guesses = [each for each in book.guesses if each.slot not in found]
    if guesses and book.outcome.is_sound:
        links = [_guess(book, each) for each in guesses[:MOST]]
        more = [f"and {len(guesses) - MOST} more"] if len(guesses) > MOST else []
        many = plural(len(guesses), "annotation")
        yield join(f"Review {many} that only the compiler speaks for:", unordered([*links, *more]))
    for code, group in groupby(book.findings, key=lambda each: each[1].code):
        if code not in NOTHING_TO_MEND and code not in told:
            keys = [key for key, _ in group]
            entry = catalogue.entry(code)
            link = tag("a", tag("b", code, class_="code-name"), href=f"#{keys[0]}")
            times = f" ({len(keys)})" if len(keys) > 1 else ""
            yield join(link, " ", prose(entry.title), f"{times}: ", prose(first_line(entry.advice)))


def _guess(book: Book, annotation: Annotation) -> Html:
    slot = annotation.slot
    written = tag("code", f"{slot_name(slot)}: {spelled(annotation)}")
    return join(tag("a", written, href=f"#{book.keys[slot]}"), " of ", tag("code", slot.owner.qualname))
