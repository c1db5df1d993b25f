"""The tree of what was judged: modules of a target that failed, else the functions and classes that were annotated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pdt_annotate.emit.html.book import LEFT, Book, PlaceLink
from pdt_annotate.emit.html.view import STANDINGS
from pdt_annotate.emit.module_tree import Node, group_kept, grow, verdict
from pdt_annotate.emit.words import abbreviate, plural
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Origin
from pdt_annotate.values.verdicts import Answers, Fault, Part

TO = "…"

MOST_OPEN_FILES = 5
"""Of more files each is folded."""

TONES = {Answers.NOT_CALLED: "idle", Answers.NOT_JUDGED: "review"}
"""Of modules against which nothing speaks, those that do not just pass."""


@dataclass(frozen=True)
class FaultGroup:
    """The faults of one code in a module, and the advice that was not given yet."""

    code: str
    faults: Sequence[Fault]
    advice: Sequence[str]


@dataclass(frozen=True)
class TreeEntry:
    """One entry of a tree: what it is, what was found of it, and what is inside.

    Args:
        tone: what was found of it, as a class of the style sheet.
        names: by which it is filtered, lower case; an entry without any stays with the one that it is in.
        opened: whether what is inside is not folded.
        part: the module that it is; None for what was annotated.
    """

    tone: str
    name: str
    verdict: str
    place: PlaceLink | None
    children: Sequence[TreeEntry]
    names: str
    opened: bool
    part: Part | None = None
    faults: Sequence[FaultGroup] = ()

    def tones(self) -> Iterator[str]:
        """Its own, and those of all in it."""
        yield self.tone
        for child in self.children:
            yield from child.tones()


@dataclass(frozen=True)
class JudgedTree:
    """Entries, and under a title what else there is to know, each with its place and where in the model it is."""

    entries: Sequence[TreeEntry]
    others: Sequence[tuple[str, PlaceLink | None, str]]

    @property
    def tones(self) -> list[str]:
        """Of all entries, also those inside others."""
        return [tone for entry in self.entries for tone in entry.tones()]


def modules_of(book: Book) -> JudgedTree:
    """What failed, and what of it is annotated all the same."""
    outcome = book.outcome
    entries = [_module(book, grow(blame), book.said(blame.target.text), set()) for blame in outcome.blame]
    return JudgedTree(
        entries, [_defined(book, part.name, part.place, paths) for part, paths in group_kept(outcome.kept)]
    )


def functions_of(book: Book) -> JudgedTree:
    """What was annotated, and what was compiled without an example that enters it."""
    opened = len(book.by_file) <= MOST_OPEN_FILES
    entries = [
        _branch(book, book.path(file), annotations, 0, book.became(book.sheets.get(file)), opened)
        for file, annotations in book.by_file.items()
    ]
    unreached = sorted(book.outcome.unreached)
    return JudgedTree(entries, [_defined(book, owner.qualname, book.places.of(owner)) for owner in unreached])


def functions_heading(book: Book) -> str:
    """What those functions are."""
    if book.outcome.outdated:
        return "Functions that the profile knows"
    is_missing = book.invocation.write_back is WriteBack.CHECK and book.outcome.is_sound and book.outcome.changes
    return "Functions that lack annotations" if is_missing else "Functions"


def _defined(book: Book, name: str, place: Place, paths: str = "") -> tuple[str, PlaceLink | None, str]:
    return name, book.place(place), paths


def _module(book: Book, node: Node, name: str, given: set[str]) -> TreeEntry:
    """A module with those inside; `given` is the advice that stands above it already, and gets its own."""
    part = node.part
    tone = TONES.get(part.answers, "ok") if part.is_sound or part.answers is Answers.NOT_JUDGED else "bad"
    groups = groupby(part.faults, key=lambda fault: fault.code)
    faults = [_faults(code, list(group), given) for code, group in groups]
    children = [_module(book, child, abbreviate(child.names, TO), given) for child in node.children]
    names = " ".join((*(each.path for each in node.parts), part.name, book.path(part.place.file))).lower()
    place = book.place(part.place)
    return TreeEntry(tone, name, verdict(node, TO), place, children, names, tone == "bad", part, faults)


def _faults(code: str, faults: Sequence[Fault], given: set[str]) -> FaultGroup:
    advice = [each for each in dict.fromkeys(so for fault in faults for so in fault.advice) if each not in given]
    given.update(advice)
    return FaultGroup(code, faults, advice)


def _branch(
    book: Book, name: str, annotations: Sequence[Annotation], depth: int, became: str, opened: bool = True
) -> TreeEntry:
    """The annotations below a dotted name: of the name itself, and of what is defined in it, in source order.

    Args:
        depth: how many parts of their qualified names are above; 0 for a file.
        became: what became of the annotations of the file.
    """
    groups = groupby(annotations, key=lambda each: _names(each)[depth : depth + 1])
    children = [_branch(book, first[0], list(group), depth + 1, became) for first, group in groups if first]
    place = None if children else book.place(book.places.of(annotations[0].slot.owner))
    owners = dict.fromkeys(each.slot.owner.qualname for each in annotations)
    names = "" if depth else " ".join((name, *owners)).lower()
    tone, counted = _tone(book, annotations, became), _tally(annotations, became)
    return TreeEntry(tone, name, counted, place, children, names, opened)


def _names(annotation: Annotation) -> list[str]:
    """The parts of a qualified name; `<locals>` is no part that a reader needs."""
    return [name for name in annotation.slot.owner.qualname.split(".") if name != "<locals>"]


def _tone(book: Book, annotations: Sequence[Annotation], became: str) -> str:
    if became == LEFT:
        return "idle"
    if became == "missing" or any(each.origin is Origin.GUESS for each in annotations):
        return "review"
    return "idle" if book.outcome.text_only else "ok"


def _tally(annotations: Sequence[Annotation], became: str) -> str:
    """ "13 annotations missing (2 from the source, 1 guess)": what is not observed is told apart."""
    origins = [each.origin for each in annotations]
    counts = {origin: origins.count(origin) for origin in Origin if origin is not Origin.OBSERVED}
    apart = ", ".join(STANDINGS[origin].counted(count) for origin, count in counts.items() if count)
    return " ".join(filter(None, (plural(len(origins), "annotation"), became, apart and f"({apart})")))
