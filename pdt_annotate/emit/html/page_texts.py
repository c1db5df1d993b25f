"""The page's texts about a run: how it ended, findings, failures, verdicts and judged parts.

The tree shows the modules of a target that failed, otherwise the functions and classes that were annotated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pdt_annotate.emit import words
from pdt_annotate.emit.html.book import LEFT, PageContent, PlaceLink
from pdt_annotate.emit.words import Node, capital, plural
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.exits import EXIT_MISSING
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Annotation, Origin
from pdt_annotate.values.verdicts import Answers, Fault, Part, judge_of


@dataclass(frozen=True)
class OriginLabel:
    """The certainty of an origin: a class of the style sheet, a word (with its plural), and its meaning."""

    tone: str
    word: str
    meaning: str
    several: str = ""

    def said(self, count: int) -> str:
        return self.several if self.several and count > 1 else self.word


STANDINGS = {
    Origin.EDITED: OriginLabel("stated", "edited", "edited by hand"),
    Origin.OBSERVED: OriginLabel("sure", "observed", "observed while the examples ran"),
    Origin.SOURCE: OriginLabel("stated", "from the source", "no example gave a value; the source shows the type"),
    Origin.REPAIR: OriginLabel("asked", "repair", "inferred from a compiler message", "repairs"),
    Origin.GUESS: OriginLabel("guess", "guess", "it compiles, but no example confirms it: review it", "guesses"),
}
"""The certainty of every origin."""


def ending_of(book: PageContent) -> tuple[str, str]:
    """The end of a run: a class of the style sheet, "idle" if no compiler judged, and a sentence."""
    outcome, invocation = book.outcome, book.invocation
    if invocation.without_result:
        return "bad" if invocation.exit_code else "idle", _no_result(book)
    annotations, files = words.tally(outcome)
    written = invocation.write_back.value.became.format(annotations=annotations, files=files)
    if words.is_failed(outcome):
        failed = ", ".join(blame.target.text for blame in outcome.blame) if len(outcome.targets) > 1 else ""
        inside = words.in_the_way(outcome.blame[0]) if len(outcome.blame) == 1 else ""
        who = f" ({failed})" if failed else f"; {inside}" if inside else ""
        is_left = outcome.is_sound and outcome.changes  # parts, or other targets, can still be written
        left = f". {written}, for the parts that verify" if is_left else ""
        return "bad", f"Failed: {why_not(outcome)}{who}{left}"
    tone, became = "ok", "" if outcome.outdated else "Nothing to annotate"
    if invocation.write_back is WriteBack.NOTHING:
        became = "Verified"
    elif outcome.changes:
        tone, became = "review" if invocation.write_back.fails_on_missing else "ok", written
    elif outcome.overlaid:
        became = f"Annotated in copies: {plural(len(outcome.overlaid), 'third-party file')}"
    if outcome.outdated:
        functions = plural(len(outcome.outdated.findings), "function")
        unknown = f"the profile has no observations of {functions} without annotations"
        tone, became = "review", ", and ".join(filter(None, (became, unknown)))
    if invocation.exit_code == EXIT_MISSING:
        is_check = invocation.write_back.fails_on_missing
        tone, became = ("bad", f"Check failed: {became}") if is_check else ("review", became)
    elif not outcome.verified and tone == "ok":
        tone = "idle"
    with_them = "with them, " if book.judges_unwritten else ""
    return tone, f"{capital(became)}. {capital(with_them + words.judgement(outcome))}"


def _no_result(book: PageContent) -> str:
    outcome, invocation = book.outcome, book.invocation
    messages = dict.fromkeys(words.first_line(each.message).rstrip(".") for each in invocation.without_result)
    why = f": {next(iter(messages))}" if len(messages) == 1 else ""
    if book.has_no_result:
        return f"No result{why}"
    failed = invocation.targets_without_result
    of = plural(len(failed) + len(outcome.targets), "target")
    faulty = ", ".join(blame.target.text for blame in outcome.blame)
    others = f". Failed: {faulty}" if faulty else ""
    return f"No result for {len(failed)} of {of}: {', '.join(failed)}{why}{others}"


def why_not(outcome: Outcome) -> str:
    judges = dict.fromkeys(verdict.judge for verdict in outcome.verdicts if not verdict.ok)
    said = [judge_of(judge).no or f"the check “{judge}” failed" for judge in judges]
    return "; ".join(said) or "it is not verified"


def found(book: PageContent) -> Iterator[str]:
    """The findings in words; counts are shown elsewhere."""
    outcome = book.outcome
    if book.has_no_result:
        yield "Nothing: the run ended before there was a result"
        return
    with_them = "with the annotations, " if book.judges_unwritten else ""
    yield capital(why_not(outcome) if words.is_failed(outcome) else with_them + words.judgement(outcome))
    without = book.invocation.targets_without_result
    if len(outcome.targets) + len(without) > 1:
        failing, of = len(outcome.blame), plural(len(outcome.targets) + len(without), "target")
        names = ", ".join(book.said(blame.target.text) for blame in outcome.blame)
        if failing or not without:
            yield f"{failing} of {of} failed: {names}" if failing else f"{of}, none of which failed"
    if without:
        yield f"no result for {', '.join(map(book.said, without))}"
    yield from filter(None, map(words.in_the_way, outcome.blame))
    if book.invocation.write_back is not WriteBack.NOTHING:
        annotations, files = plural(len(book.annotations), "annotation"), plural(len(book.by_file), "file")
        yield f"{annotations} in {files}" if book.annotations else "no annotation is needed"


MOST_OPEN_FILES = 5  # if there are more, each is folded
TONES = {Answers.NOT_CALLED: "idle", Answers.NOT_JUDGED: "review"}  # for modules that neither fail nor just pass


@dataclass(frozen=True)
class TreeEntry:
    """An entry of a tree. A filter looks for its names, in lower case; `part` is None in the tree of annotations."""

    tone: str
    name: str
    verdict: str
    place: PlaceLink | None
    children: Sequence[TreeEntry]
    names: str
    opened: bool
    part: Part | None = None
    faults: Sequence[tuple[str, Sequence[Fault], Sequence[str]]] = ()
    """The faults by code, with the advice that no entry above has."""

    def tones(self) -> Iterator[str]:
        yield self.tone
        for child in self.children:
            yield from child.tones()


def modules_of(book: PageContent) -> dict[str, Any]:
    outcome = book.outcome
    entries = [_module(book, words.grow(blame), book.said(blame.target.text), set()) for blame in outcome.blame]
    kept = [(part.name, book.place(part.place), paths) for part, paths in words.group_kept(outcome.kept)]
    return {"entries": entries, "others": kept, "tones": [tone for entry in entries for tone in entry.tones()]}


def functions_of(book: PageContent) -> dict[str, Any]:
    opened = len(book.by_file) <= MOST_OPEN_FILES
    files = ((book.path(file), found, book.became(book.sheets.get(file))) for file, found in book.by_file.items())
    entries = [_branch(book, path, found, 0, became, opened) for path, found, became in files]
    unreached = [(each.qualname, book.place(book.places.of(each)), "") for each in sorted(book.outcome.unreached)]
    return {"entries": entries, "others": unreached}


def _module(book: PageContent, node: Node, name: str, given: set[str]) -> TreeEntry:
    """A module with its submodules; `given` is the advice shown above it. Its own advice is added."""
    part = node.part
    tone = TONES.get(part.answers, "ok") if part.is_sound or part.answers is Answers.NOT_JUDGED else "bad"
    faults = []
    for code, group in groupby(part.faults, key=lambda fault: fault.code):
        alike = list(group)
        advice = [each for each in dict.fromkeys(so for fault in alike for so in fault.advice) if each not in given]
        given.update(advice)
        faults.append((code, alike, advice))
    children = [_module(book, child, child.name, given) for child in node.children]
    names = " ".join((*(each.path for each in node.parts), part.name, book.path(part.place.file))).lower()
    place = book.place(part.place)
    return TreeEntry(tone, name, words.verdict(node), place, children, names, tone == "bad", part, faults)


def _branch(
    book: PageContent, name: str, annotations: Sequence[Annotation], depth: int, became: str, opened: bool = True
) -> TreeEntry:
    """The annotations below a dotted name, in source order. `depth` counts the names above, 0 for a file."""
    parts = [each.slot.owner.qualname.replace(".<locals>", "").split(".") for each in annotations]
    groups = groupby(zip(parts, annotations, strict=True), key=lambda pair: pair[0][depth : depth + 1])
    below = [(first[0], [each for _, each in group]) for first, group in groups if first]
    children = [_branch(book, inner, group, depth + 1, became) for inner, group in below]
    place = None if children else book.place(book.places.of(annotations[0].slot.owner))
    owners = dict.fromkeys(each.slot.owner.qualname for each in annotations)
    names = "" if depth else " ".join((name, *owners)).lower()
    tone = "idle" if book.outcome.text_only or became == LEFT else "ok"
    origins = [each.origin for each in annotations]
    if became == "missing" or (Origin.GUESS in origins and became != LEFT):
        tone = "review"
    # "13 annotations missing (2 from the source, 1 guess)": observed ones are not counted separately.
    counts = {STANDINGS[each]: origins.count(each) for each in Origin if each is not Origin.OBSERVED}
    apart = [f"{count} {label.said(count)}" for label, count in counts.items() if count]
    others = f"({', '.join(apart)})" if apart else ""
    said = " ".join(filter(None, (plural(len(origins), "annotation"), became, others)))
    return TreeEntry(tone, name, said, place, children, names, opened)
