"""The tree of what was judged: modules of a target that failed, else the functions and classes that were annotated."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from pdt_annotate.emit.html.book import Book
from pdt_annotate.emit.html.evidence import STANDINGS
from pdt_annotate.emit.html.markup import Html, join, path, prose, tag, unordered
from pdt_annotate.emit.html.sheets import LEFT, became
from pdt_annotate.emit.html.sieve import FEW, SIGNS, sieve, sign
from pdt_annotate.emit.module_tree import Node, group_kept, grow, verdict
from pdt_annotate.emit.words import abbreviate, plural
from pdt_annotate.findings import catalogue
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Origin
from pdt_annotate.values.verdicts import Answers, Fault, Part

TO = "…"

MOST_OPEN = 10
"""Entries of a list that is not folded."""

MOST_OPEN_FILES = 5
"""Of more files each is folded."""

NOTHING = "with nothing to do"

OF_MODULES = {"bad": "failing", "review": "not judged", "idle": "never called", "ok": "passing"}
"""What a tone means of a module."""

TONES = {Answers.NOT_CALLED: "idle", Answers.NOT_JUDGED: "review"}
"""Of modules against which nothing speaks, those that do not just pass."""

OF_FUNCTIONS = {"bad": "", "review": "to review", "idle": "not written", "ok": NOTHING}
"""The same of what was annotated."""


@dataclass(frozen=True)
class _Branch:
    """The annotations below a dotted name: of the name itself, and of what is defined in it."""

    name: str
    annotations: tuple[Annotation, ...]
    children: tuple[_Branch, ...]


@dataclass(frozen=True)
class _Entry:
    """One entry of a tree, painted, and the tones of all in it that a filter may show, its own first."""

    tones: tuple[str, ...]
    html: Html


def heading(book: Book) -> str:
    """What the functions are."""
    if book.outcome.outdated:
        return "Functions that the profile knows"
    is_missing = book.invocation.write_back is WriteBack.CHECK and book.outcome.is_sound and book.outcome.changes
    return "Functions that lack annotations" if is_missing else "Functions"


def modules(book: Book) -> Html:
    """The content of the section of what failed."""
    outcome = book.outcome
    entries = [_blamed(book, grow(blame), book.said(blame.target.text), set()) for blame in outcome.blame]
    tones = [tone for entry in entries for tone in entry.tones]
    kept = [_defined(book, part.name, part.place, paths) for part, paths in group_kept(outcome.kept)]
    return join(
        sieve("modules", tones, OF_MODULES),
        _list(entries, "that pass", class_="tree"),
        _listed("Annotated although the whole failed: they script and answer alike by themselves", kept),
    )


def functions(book: Book) -> Html:
    """The content of the section of what was annotated."""
    entries = _functions(book)
    unreached = [_defined(book, owner.qualname, book.places.of(owner)) for owner in sorted(book.outcome.unreached)]
    return join(
        sieve("files", (entry.tones[0] for entry in entries), OF_FUNCTIONS),
        _list(entries, f"files {NOTHING}", class_="tree"),
        _listed("Compiled, but entered by no example", unreached),
    )


def _list(entries: Sequence[_Entry], passing: str, **attributes: str) -> Html:
    """What fails first; many that pass, or have nothing to do, are folded together. Nothing where there are none."""
    order = list(SIGNS)
    ranked = sorted(entries, key=lambda entry: order.index(entry.tones[0]))
    folded = [entry.html for entry in ranked if entry.tones[0] == "ok"]
    shown = [entry.html for entry in ranked]
    if len(folded) >= FEW:
        summary = tag("summary", sign("ok"), f" {len(folded)} {passing}")
        fold = tag("li", tag("details", summary, tag("ul", folded), class_="passing"), class_="ok")
        shown = [*shown[: -len(folded)], fold]
    return join(tag("ul", shown, **attributes) if shown else None)


def _blamed(book: Book, node: Node, name: str, given: set[str]) -> _Entry:
    """A module with those inside; `given` is the advice that stands above it already, and gets its own."""
    part = node.part
    tone = TONES.get(part.answers, "ok") if part.is_sound or part.answers is Answers.NOT_JUDGED else "bad"
    class_name = tag("code", part.name) if part.path else None
    title = join(tag("b", name), " ", class_name, " ", book.place(part.place))
    groups = groupby(part.faults, key=lambda fault: fault.code)
    faults = [_faults(book, part, code, list(group), given) for code, group in groups]
    more = tag("p", "More faults may stand behind these.") if part.hidden else None
    children = [_blamed(book, child, abbreviate(child.names, TO), given) for child in node.children]
    names = " ".join((*(each.path for each in node.parts), part.name, book.path(part.place.file)))
    line = join(title, " ", tag("span", verdict(node, TO), class_="verdict"))
    entry = _paint(tone, line, join(*faults, more, _list(children, "that pass")), names, opened=tone == "bad")
    return _Entry((tone, *(each for child in children for each in child.tones)), entry)


def _faults(book: Book, part: Part, code: str, faults: Sequence[Fault], given: set[str]) -> Html:
    """The faults of one code, each with its place, and the advice that was not given yet."""
    head = tag("p", tag("b", code, class_="code-name"), " ", prose(catalogue.entry(code).title))
    places = tag("ul", [tag("li", _fault(book, fault), id=book.fault_key(fault, part)) for fault in faults])
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


def _functions(book: Book) -> list[_Entry]:
    """An entry for each file."""
    files = [
        (file, _Branch(book.path(file), tuple(annotations), tuple(_branches(annotations, 0))))
        for file, annotations in book.by_file.items()
    ]
    opened = len(files) <= MOST_OPEN_FILES
    return [_paint_branch(book, branch, became(book, book.sheets.get(file)), opened=opened) for file, branch in files]


def _branches(annotations: Sequence[Annotation], depth: int) -> Iterator[_Branch]:
    """What is defined at a depth, in source order."""
    for name, group in groupby(annotations, key=lambda each: _names(each)[depth : depth + 1]):
        if name:
            inside = tuple(group)
            yield _Branch(name[0], inside, tuple(_branches(inside, depth + 1)))


def _names(annotation: Annotation) -> list[str]:
    """The parts of a qualified name; `<locals>` is no part that a reader needs."""
    return [name for name in annotation.slot.owner.qualname.split(".") if name != "<locals>"]


def _paint_branch(book: Book, branch: _Branch, how: str, *, opened: bool = True, inner: bool = False) -> _Entry:
    children = [_paint_branch(book, child, how, inner=True) for child in branch.children]
    place = None if children else book.place(book.places.of(branch.annotations[0].slot.owner))
    line = join(tag("b", path(branch.name)), " ", place, " ", tag("span", _tally(branch, how), class_="verdict"))
    owners = dict.fromkeys(each.slot.owner.qualname for each in branch.annotations)
    names = "" if inner else " ".join((branch.name, *owners))
    tone = _tone(book, branch, how)
    return _Entry((tone,), _paint(tone, line, _list(children, NOTHING), names, opened=opened))


def _tone(book: Book, branch: _Branch, how: str) -> str:
    if how == LEFT:
        return "idle"
    if how == "missing" or any(each.origin is Origin.GUESS for each in branch.annotations):
        return "review"
    return "idle" if book.outcome.text_only else "ok"


def _tally(branch: _Branch, how: str) -> str:
    """ "13 annotations missing (2 from the source, 1 guess)": what is not observed is told apart."""
    origins = [each.origin for each in branch.annotations]
    counts = {origin: origins.count(origin) for origin in Origin if origin is not Origin.OBSERVED}
    apart = ", ".join(STANDINGS[origin].counted(count) for origin, count in counts.items() if count)
    return " ".join(filter(None, (plural(len(origins), "annotation"), how, apart and f"({apart})")))


def _paint(tone: str, line: Html, inside: Html, names: str, *, opened: bool) -> Html:
    """One entry: its tone, a key of `SIGNS`, what it is and what was found of it; folded, what is inside.

    By its names it is filtered; an entry without any stays with the one that it is in.
    """
    line = join(sign(tone), " ", line)
    entry = tag("details", tag("summary", line), inside, open=opened) if inside else tag("div", line, class_="leaf")
    return tag("li", entry, class_=tone, data_name=names.lower() or None, data_tone=tone if names else None)
