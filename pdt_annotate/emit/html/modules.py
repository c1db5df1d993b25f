"""The tree of what was judged: modules of a target that failed, else the functions and classes that were annotated."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.functions import functions
from pdt_annotate.emit.html.markup import Html, join, prose, tag, unordered
from pdt_annotate.emit.html.node import paint_node
from pdt_annotate.emit.module_tree import Node, grow, telling_line, verdict
from pdt_annotate.emit.words import abbreviate
from pdt_annotate.findings import catalogue
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Answers, Fault, Part

TO = "…"

MOST_OPEN = 10
"""Entries of a list that is not folded."""


def modules(book: Book) -> Html:
    """The section's content."""
    outcome = book.outcome
    blamed = [_blamed(book, grow(blame), book.said(blame.target.text)) for blame in outcome.blame]
    trees = blamed or functions(book)
    return join(
        tag("ul", trees, class_="tree") if trees else tag("p", "Nothing was annotated."),
        _listed("Annotated although the whole failed: they script and answer alike by themselves", _kept(book)),
        _listed("Compiled, but entered by no example", [_function(book, owner) for owner in sorted(outcome.unreached)]),
    )


def _blamed(book: Book, node: Node, name: str) -> Html:
    part = node.part
    tone = ("idle" if part.answers is Answers.NOT_CALLED else "ok") if part.is_sound else "bad"
    class_name = tag("code", part.name) if part.path else None
    title = join(tag("b", name), " ", class_name, " ", book.place(part.file, part.line))
    given: set[str] = set()
    groups = groupby(part.faults, key=lambda fault: fault.code)
    faults = [_faults(book, code, list(group), given) for code, group in groups]
    more = tag("p", "More faults may stand behind these.") if part.hidden else None
    children = [_blamed(book, child, abbreviate(child.names, TO)) for child in node.children]
    return paint_node(tone, title, verdict(node, TO), [*faults, more], children, opened=not part.is_sound)


def _faults(book: Book, code: str, faults: Sequence[Fault], given: set[str]) -> Html:
    """The faults of one code, each with its place, and the advice that was not given yet."""
    head = tag("p", tag("b", code, class_="code-name"), " ", prose(catalogue.entry(code).title))
    places = unordered(_fault(book, fault) for fault in faults)
    advice = [each for each in dict.fromkeys(so for fault in faults for so in fault.advice) if each not in given]
    given.update(advice)
    return tag("div", head, places, [tag("p", "→ ", prose(each), class_="advice") for each in advice], class_="fault")


def _fault(book: Book, fault: Fault) -> Html:
    failure = fault.failure
    where = book.place(failure.file, failure.line) or failure.call
    line = book.source_line(failure.file, failure.line)
    said = prose(book.said(telling_line(failure)))
    return join(where, ": " if where else None, said, tag("code", line, class_="quoted") if line else None)


def _kept(book: Book) -> list[Html]:
    parts: dict[tuple[str, str, int], list[Part]] = {}
    for part in book.outcome.kept:
        parts.setdefault((part.name, part.file, part.line), []).append(part)
    return [_kept_part(book, group) for group in parts.values()]


def _kept_part(book: Book, parts: Sequence[Part]) -> Html:
    paths = [part.path or "the target" for part in parts if not part.is_function]
    inside = f" ({abbreviate(paths, 'to')})" if paths else None
    return join(tag("code", parts[0].name), " ", book.place(parts[0].file, parts[0].line), inside)


def _function(book: Book, owner: Owner) -> Html:
    return join(tag("code", owner.qualname), " ", book.place(owner.file, owner.line))


def _listed(title: str, items: Sequence[Html]) -> Html | None:
    """A list under a title that folds it."""
    if not items:
        return None
    return tag(
        "details", tag("summary", tag("h3", f"{title} ({len(items)})")), unordered(items), open=len(items) <= MOST_OPEN
    )
