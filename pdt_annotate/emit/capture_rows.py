"""The result of each way of capturing, in words that the terminal and the page share."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pdt_annotate.emit.words import first_line, on_calls
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.values.capture_results import Capture, Captures, Fate, Way
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.slots import NO_PLACE, Finding, Place
from pdt_annotate.values.verdicts import Failure

SIGNS = {Fate.SAME: "✓", Fate.DIFFERS: "✗", Fate.REFUSED: "\N{EN DASH}", Fate.ABSENT: "\N{MIDDLE DOT}"}


@dataclass(frozen=True)
class Versions:
    """The captures of one target, in each of its versions."""

    found: tuple[Captures, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(each.version for each in self.found)

    def alone(self) -> list[Versions]:
        """Each version by itself, if there are several."""
        return [Versions((each,)) for each in self.found] if len(self.found) > 1 else []

    def rows(self) -> Iterator[tuple[Way, tuple[Capture, ...]]]:
        for way, *captures in zip(self.found[0].ways, *(each.captures for each in self.found), strict=True):
            yield way, tuple(captures)

    def findings(self) -> tuple[Finding, ...]:
        """The findings of all ways and versions; one that versions share is listed once, at its place in the first."""
        everything = (each for found in self.found for capture in found.captures for each in capture.findings)
        return tuple({(each.code, each.message): each for each in reversed(list(everything))}.values())[::-1]


def by_target(found: Iterable[Captures]) -> list[Versions]:
    targets = grouped(((each.target.text, each.root), each) for each in found)
    return [Versions(tuple(versions)) for versions in targets.values()]


def measured(captures: Sequence[Capture]) -> Capture:
    """The capture whose figures are shown for all versions: that of the last version that was captured."""
    return next((each for each in reversed(captures) if each.captured), captures[-1])


def marked(capture: Capture) -> str:
    """ "✓ same", or "✗ differs !" if it has findings."""
    return f"{SIGNS[capture.fate]} {capture.fate.value}{' !' if capture.findings else ''}"


def times(factor: float | None) -> str:
    """ "0.84x", "12x"; "" if it is not known."""
    return "" if factor is None else f"{factor:.0f}x" if factor >= 10 else f"{factor:.2g}x"


def _answered(capture: Capture, *, held_back: bool) -> str:
    """ "3 of 4": the number of calls on which the captured program does the same as the eager one; "" without calls."""
    calls = (call for call in capture.calls if call.held_back is held_back)
    fates = [call.fate for call in calls if call.fate is not Fate.NOT_COMPARED]
    return f"{fates.count(Fate.SAME)} of {len(fates)}" if fates else ""


FIGURES: Mapping[str, Callable[[Way, Capture], str]] = {
    "calls": lambda _, capture: _answered(capture, held_back=False),
    "held back": lambda _, capture: _answered(capture, held_back=True),
    "graphs": lambda _, capture: (
        f"{capture.graphs}, {'whole' if capture.whole else 'breaks'}" if capture.captured else ""
    ),
    "sound": lambda way, _: "yes" if way.sound else "no",
    "class": lambda way, _: way.kind.value,
    "to capture": lambda _, capture: times(capture.relative),
    "per call": lambda _, capture: times(capture.per_call),
    "operators": lambda _, capture: str(sum(capture.operators.values())) if capture.captured else "",
}
"""The columns of figures by their heads, the most important first."""


def as_version(name: str) -> str:
    """ "as it is", "as annotated"."""
    return name if name.startswith("as ") else f"as {name}"


def conclusion(versions: Versions) -> str:
    """The working ways of any version: "answers as eager mode does: script; on these calls also trace, not sound"."""
    works = [way for way, captures in versions.rows() if any(each.fate is Fate.SAME for each in captures)]
    sound = ", ".join(way.name for way in works if way.sound)
    others = ", ".join(way.name for way in works if not way.sound)
    said = [f"same results as eager mode: {sound}"] if sound else []
    said += [f"right on these calls, but not sound: {others}"] if others else []
    return "; ".join(said) or "no way of capturing returns the results of eager mode"


class WhyNot(enum.Enum):
    """The kinds of capture results that need an explanation, as headings."""

    NOT_CAPTURED = "not captured"
    RAISES = "captured, but raises"
    DIFFERS = "captured, but the result differs"
    NOT_COMPARED = "not compared"
    ABSENT = "absent"


OF_CALLS = {Fate.REFUSED: WhyNot.RAISES, Fate.DIFFERS: WhyNot.DIFFERS, Fate.NOT_COMPARED: WhyNot.NOT_COMPARED}


def by_count(operators: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(operators.items(), key=lambda item: (-item[1], item[0])))


@dataclass(frozen=True)
class Reason:
    """Why ways failed, in a line and in full, and in which versions (empty for all)."""

    why: WhyNot
    ways: tuple[str, ...]
    text: str
    place: Place = NO_PLACE
    full: str = field(default="", compare=False)
    versions: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()

    @property
    def who(self) -> str:
        """ "export, export-dynamic (annotated), on call 2"."""
        versions = f" ({', '.join(self.versions)})" if self.versions else ""
        calls = f", {on_calls(self.calls)}" if self.calls else ""
        return f"{', '.join(self.ways)}{versions}{calls}"


def reasons(versions: Versions) -> dict[WhyNot, list[Reason]]:
    """The reasons by heading; calls, versions and ways that fail alike share one."""
    found = [
        reason
        for _, captures in versions.rows()
        for name, capture in zip(versions.names, captures, strict=True)
        for reason in reasons_of(capture, name)
    ]
    found = _join(_join(found, "calls"), "versions")
    found = [replace(each, versions=()) if each.versions == versions.names else each for each in found]
    names = tuple(way.name for way in versions.found[0].ways)
    joined = _join(found, "ways")
    found = [replace(each, ways=("every way of capturing",)) if each.ways == names else each for each in joined]
    by_why = grouped((each.why, each) for each in found)
    return {why: by_why[why] for why in WhyNot if why in by_why}


def reasons_of(capture: Capture, version: str = "") -> Iterator[Reason]:
    said = partial(Reason, ways=(capture.way,), versions=(version,))
    if capture.absent:
        yield said(WhyNot.ABSENT, text=capture.absent)
    elif not capture.captured:
        failure = capture.failure or Failure("no reason was given")
        yield said(WhyNot.NOT_CAPTURED, text=telling_line(failure), place=failure.place, full=failure.text)
    for call in capture.calls:
        if call.fate in OF_CALLS:
            yield said(OF_CALLS[call.fate], text=first_line(call.message), full=call.message, calls=(call.call,))


def _join(found: Iterable[Reason], several: str) -> list[Reason]:
    """Join the reasons that differ in one field only; that field then has the values of them all."""
    emptied: dict[str, Any] = {several: ()}
    together: dict[Reason, dict[str, Any]] = {}
    for each in found:
        joined = together.setdefault(replace(each, **emptied), dict(emptied))
        joined[several] = tuple(dict.fromkeys((*joined[several], *getattr(each, several))))
    return [replace(each, **joined) for each, joined in together.items()]
