"""The tree of what was judged: modules of a target that failed, else the functions and classes that were annotated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.evidence import STANDINGS
from pdt_annotate.emit.html.markup import Child, Html, join, prose, tag, unordered
from pdt_annotate.emit.module_tree import Node, group_kept, grow, verdict
from pdt_annotate.emit.words import abbreviate, plural
from pdt_annotate.findings import catalogue
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Origin
from pdt_annotate.values.verdicts import Answers, Fault

TO = "…"

MOST_OPEN = 10
"""Entries of a list that is not folded."""

MOST_OPEN_FILES = 5
"""Of more files each is folded."""

SIGNS = {"ok": "✓", "idle": "○", "bad": "✗", "review": "!"}
"""By the tone of an entry, a class of the style sheet, so that colour is not all there is."""


@dataclass(frozen=True)
class _Branch:
    """The annotations below a dotted name: of the name itself, and of what is defined in it."""

    name: str
    annotations: tuple[Annotation, ...]
    children: tuple[_Branch, ...]


def modules(book: Book) -> Html:
    """The section's content."""
    outcome = book.outcome
    blamed = [_blamed(book, grow(blame), book.said(blame.target.text)) for blame in outcome.blame]
    trees = blamed or _functions(book)
    kept = [_defined(book, part.name, part.place, paths) for part, paths in group_kept(outcome.kept)]
    unreached = [_defined(book, owner.qualname, book.places.of(owner)) for owner in sorted(outcome.unreached)]
    return join(
        tag("ul", trees, class_="tree") if trees else tag("p", "Nothing was annotated."),
        _listed("Annotated although the whole failed: they script and answer alike by themselves", kept),
        _listed("Compiled, but entered by no example", unreached),
    )


def _blamed(book: Book, node: Node, name: str) -> Html:
    part = node.part
    tone = ("idle" if part.answers is Answers.NOT_CALLED else "ok") if part.is_sound else "bad"
    class_name = tag("code", part.name) if part.path else None
    title = join(tag("b", name), " ", class_name, " ", book.place(part.place))
    given: set[str] = set()
    groups = groupby(part.faults, key=lambda fault: fault.code)
    faults = [_faults(book, code, list(group), given) for code, group in groups]
    more = tag("p", "More faults may stand behind these.") if part.hidden else None
    children = [_blamed(book, child, abbreviate(child.names, TO)) for child in node.children]
    return _paint_node(tone, title, verdict(node, TO), [*faults, more], children, opened=not part.is_sound)


def _faults(book: Book, code: str, faults: Sequence[Fault], given: set[str]) -> Html:
    """The faults of one code, each with its place, and the advice that was not given yet."""
    head = tag("p", tag("b", code, class_="code-name"), " ", prose(catalogue.entry(code).title))
    places = unordered(_fault(book, fault) for fault in faults)
    advice = [each for each in dict.fromkeys(so for fault in faults for so in fault.advice) if each not in given]
    given.update(advice)
    return tag("div", head, places, [tag("p", "→ ", prose(each), class_="advice") for each in advice], class_="fault")


def _fault(book: Book, fault: Fault) -> Html:
    failure = fault.failure
    where = book.place(failure.place) or failure.call
    line = book.source_line(failure.place)
    said = prose(book.said(telling_line(failure)))
    return join(where, ": " if where else None, said, tag("code", line, class_="quoted") if line else None)


def _defined(book: Book, name: str, place: Place, paths: str = "") -> Html:
    """What is defined at a place, and where in the model it is."""
    return join(tag("code", name), " ", book.place(place), f" ({paths})" if paths else None)


def _listed(title: str, items: Sequence[Html]) -> Html | None:
    """A list under a title that folds it."""
    if not items:
        return None
    return tag(
        "details", tag("summary", tag("h3", f"{title} ({len(items)})")), unordered(items), open=len(items) <= MOST_OPEN
    )


def _functions(book: Book) -> list[Html]:
    """An entry for each file."""
    files = [
        _Branch(book.path(file), tuple(annotations), tuple(_branches(annotations, 0)))
        for file, annotations in book.by_file.items()
    ]
    return [_paint_branch(book, file, opened=len(files) <= MOST_OPEN_FILES) for file in files]


def _branches(annotations: Sequence[Annotation], depth: int) -> Iterator[_Branch]:
    """What is defined at a depth, in source order."""
    for name, group in groupby(annotations, key=lambda each: _names(each)[depth : depth + 1]):
        if name:
            inside = tuple(group)
            yield _Branch(name[0], inside, tuple(_branches(inside, depth + 1)))


def _names(annotation: Annotation) -> list[str]:
    """The parts of a qualified name; `<locals>` is no part that a reader needs."""
    return [name for name in annotation.slot.owner.qualname.split(".") if name != "<locals>"]


def _paint_branch(book: Book, branch: _Branch, *, opened: bool = True) -> Html:
    children = [_paint_branch(book, child) for child in branch.children]
    place = None if children else book.place(book.places.of(branch.annotations[0].slot.owner))
    title = join(tag("b", branch.name), " ", place)
    return _paint_node(_tone(book, branch), title, _tally(branch), (), children, opened=opened)


def _tone(book: Book, branch: _Branch) -> str:
    if not book.outcome.verified:
        return "idle"
    return "review" if any(each.origin is Origin.GUESS for each in branch.annotations) else "ok"


def _tally(branch: _Branch) -> str:
    """ "13 annotations, 2 from the source, 1 guess": what is not observed is told apart."""
    origins = [each.origin for each in branch.annotations]
    counts = {origin: origins.count(origin) for origin in Origin if origin is not Origin.OBSERVED}
    apart = [f"{count} {STANDINGS[origin].word}" for origin, count in counts.items() if count]
    return ", ".join([plural(len(origins), "annotation"), *apart])


def _paint_node(
    tone: str, title: Child, said: Child, details: Sequence[Child], children: Sequence[Html], *, opened: bool
) -> Html:
    """One entry: its tone, a key of `SIGNS`, what it is and what was found of it; folded, what is inside."""
    sign = tag("span", SIGNS[tone], class_="sign", aria_hidden="true")
    line = join(sign, " ", title, " ", tag("span", said, class_="verdict"))
    inside = join(*details, tag("ul", children) if children else None)
    entry = tag("details", tag("summary", line), inside, open=opened) if inside else tag("div", line, class_="leaf")
    return tag("li", entry, class_=tone)
