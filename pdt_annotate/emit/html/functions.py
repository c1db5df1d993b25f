"""What was annotated, as a tree: files, the classes and functions in them, coloured by verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.evidence import STANDINGS
from pdt_annotate.emit.html.markup import Html, join, tag
from pdt_annotate.emit.html.node import paint_node
from pdt_annotate.emit.words import plural
from pdt_annotate.values.slots import Annotation, Origin

MOST_OPEN = 5
"""Of more files each is folded."""


@dataclass(frozen=True)
class _Branch:
    """The annotations below a dotted name: of the name itself, and of what is defined in it."""

    name: str
    annotations: tuple[Annotation, ...]
    children: tuple[_Branch, ...]


def functions(book: Book) -> list[Html]:
    """An entry for each file."""
    files = [
        _Branch(book.path(file), tuple(annotations), tuple(_branches(annotations, 0)))
        for file, annotations in book.by_file.items()
    ]
    return [_paint(book, file, opened=len(files) <= MOST_OPEN) for file in files]


def _branches(annotations: Sequence[Annotation], depth: int) -> Iterator[_Branch]:
    """What is defined at a depth, in source order."""
    for name, group in groupby(annotations, key=lambda each: _names(each)[depth : depth + 1]):
        if name:
            inside = tuple(group)
            yield _Branch(name[0], inside, tuple(_branches(inside, depth + 1)))


def _names(annotation: Annotation) -> list[str]:
    """The parts of a qualified name; `<locals>` is no part that a reader needs."""
    return [name for name in annotation.slot.owner.qualname.split(".") if name != "<locals>"]


def _paint(book: Book, branch: _Branch, *, opened: bool = True) -> Html:
    children = [_paint(book, child) for child in branch.children]
    first = branch.annotations[0].slot.owner
    place = None if children else book.place(first.file, first.line)
    title = join(tag("b", branch.name), " ", place)
    return paint_node(_tone(book, branch), title, _tally(branch), (), children, opened=opened)


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
