"""The page of captures: for each target what works, why the rest does not, what differs, and what to know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pdt_annotate.emit import capture_rows
from pdt_annotate.emit.capture_rows import Reason, Versions, WhyNot, by_target, conclusion, reasons
from pdt_annotate.emit.html.document import PageSection, document, landmarks
from pdt_annotate.emit.html.markup import Html, join, prose, tag, unordered
from pdt_annotate.emit.machine.paths import relative_to, without_root
from pdt_annotate.emit.words import TIMES
from pdt_annotate.findings import catalogue
from pdt_annotate.values.captures import Capture, Captures, Fate, Way
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Finding

TONES = {Fate.SAME: "ok", Fate.DIFFERS: "bad", Fate.REFUSED: "review", Fate.ABSENT: "idle"}

FIGURES = ("Calls", "Held back", "Graphs", "Sound", "Class", "To capture", "Per call", "Operators")

LEGEND = """\
A way is sound that on every input answers right or refuses, by design; what another answers right on these calls it may
answer wrong on the next. Times are in calls of eager mode."""


def captures_page(found: Sequence[Captures]) -> Html:
    """The document."""
    targets = by_target(found)
    title = ", ".join(_Words(versions).said(versions.name) for versions in targets)
    several = len(targets) > 1
    sections = [
        PageSection(f"t{index}-{each.key}" if several else each.key, _named(each.name, versions, several), each.content)
        for index, versions in enumerate(targets, 1)
        for each in _sections(versions)
    ]
    return document(f"{title}: captures", landmarks(title, _banner(targets), sections))


def _named(name: str, versions: Versions, several: bool) -> str:
    return f"{_Words(versions).said(versions.name)}: {name[:1].lower()}{name[1:]}" if several else name


def _banner(targets: Sequence[Versions]) -> Html:
    """What works, in a sentence, and whether what was required does."""
    required = [each for versions in targets for found in versions.found for each in found.required]
    unmet = [each.way for each in required if not each.met]
    said = f"Required, and fails: {', '.join(unmet)}" if unmet else "; ".join(map(conclusion, targets))
    tone, sign = ("bad", "✗") if unmet else ("ok", "✓") if required else ("idle", "○")
    sentence = said[:1].upper() + said[1:]
    return tag("p", tag("span", sign, class_="sign", aria_hidden="true"), sentence, class_=f"banner {tone}")


def _sections(versions: Versions) -> Iterator[PageSection]:
    words = _Words(versions)
    yield PageSection("ways", "What works", _tables(versions, words))
    told = reasons(versions)
    if told:
        yield PageSection(
            "reasons", "What does not, and why", join(*(_why(why, each, words) for why, each in told.items()))
        )
    if versions.findings():
        yield PageSection("findings", "Findings", join(*_findings(versions, words)))
    yield PageSection("operators", "Operators", join(*_operators(versions)))


class _Words:
    """Texts and places without this machine's paths."""

    def __init__(self, versions: Versions) -> None:
        self.root = versions.found[0].root

    def said(self, text: str) -> str:
        return without_root(self.root, text)

    def place(self, place: Place) -> Html | None:
        if not place.file:
            return None
        return tag("span", str(place.named(relative_to(self.root, place.file))), class_="place")


def _tables(versions: Versions, words: _Words) -> Html:
    """What came of the ways: all versions in one table and then, folded, each in a table of its own."""
    notes = [tag("p", words.said(note)) for note in versions.notes]
    alone = [Versions((each,)) for each in versions.found] if len(versions.found) > 1 else []
    legend = tag("p", LEGEND, f" Figures: {capture_rows.as_version(versions.names[-1])}.", class_="count")
    return join(_table(versions), notes, legend, map(_folded, alone))


def _folded(version: Versions) -> Html:
    summary = tag("summary", tag("h3", f"The figures {capture_rows.as_version(version.names[0])}"))
    return tag("details", summary, _table(version))


def _table(versions: Versions) -> Html:
    heads = ("Way", *(name[:1].upper() + name[1:] for name in versions.names), *FIGURES)
    rows = [_row(heads, way, captures) for way, captures in versions.rows()]
    head = tag("thead", tag("tr", [tag("th", each, scope="col") for each in heads]))
    return tag("div", tag("table", head, tag("tbody", rows), class_="annotations captures"), class_="fitting")


def _row(heads: Sequence[str], way: Way, captures: Sequence[Capture]) -> Html:
    name = tag("th", tag("code", way.name), " ", tag("span", way.title, class_="count"), scope="row")
    measured = capture_rows.measured(captures)
    cells = (
        *map(_mark, captures),
        capture_rows.answered(capture_rows.shown_calls(measured)),
        capture_rows.answered(capture_rows.held_back(measured)),
        capture_rows.graphs(measured),
        "yes" if way.sound else "no",
        way.kind.value,
        capture_rows.times(measured.relative),
        capture_rows.times(measured.per_call),
        capture_rows.operators(measured),
    )
    # Where there is no room for columns, each cell says what it is.
    said = [
        tag("td", cell, data_head=head, class_=head.lower().replace(" ", "-"))
        for head, cell in zip(heads[1:], cells, strict=True)
    ]
    return tag("tr", name, said)


def _mark(capture: Capture) -> Html:
    return tag("span", capture_rows.marked(capture), class_=f"fate {TONES[capture.fate]}")


def _why(why: WhyNot, alike: Sequence[Reason], words: _Words) -> Html:
    heading = why.value[:1].upper() + why.value[1:]
    return join(tag("h3", heading), unordered((_reason(each, words) for each in alike), class_="reasons"))


def _reason(reason: Reason, words: _Words) -> Html:
    full = words.said(reason.full.strip())
    more = (
        tag("details", tag("summary", "All that was said"), tag("pre", full)) if full not in ("", reason.text) else None
    )
    where = words.place(reason.place)
    said = tag("p", words.said(reason.text), class_="said")
    return join(tag("b", reason.who), join(" at ", where) if where else None, said, more)


def _findings(versions: Versions, words: _Words) -> Iterator[Html]:
    found = sorted(versions.findings(), key=lambda each: (each.code, each.place, each.message))
    for code, group in groupby(found, key=lambda each: each.code):
        entry = catalogue.entry(code)
        yield tag(
            "div",
            tag("h3", tag("b", code, class_="code-name"), " ", prose(entry.title)),
            tag("p", prose(entry.meaning)),
            unordered(_finding(each, words) for each in group),
            tag("p", "→ ", prose(entry.advice), class_="advice"),
            class_="group",
        )


def _finding(finding: Finding, words: _Words) -> Html:
    where = words.place(finding.place)
    return join(where, ": " if where else None, prose(words.said(finding.message)))


def _operators(versions: Versions) -> Iterator[Html]:
    """For each way that captures how often which operator stands in its graphs, folded."""
    for way, captures in versions.rows():
        counted = capture_rows.by_count(capture_rows.measured(captures).operators)
        if counted:
            summary = tag("summary", tag("h3", way.name), f" ({sum(counted.values())})")
            yield tag("details", summary, tag("ul", [_count(*item) for item in counted.items()], class_="operators"))


def _count(name: str, count: int) -> Html:
    return tag("li", tag("code", name), f" {TIMES}{count}")
