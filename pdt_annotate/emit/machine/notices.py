"""An outcome as a list of places, each with a severity, a code and a message: what a forge or an editor can mark."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from pdt_annotate.emit.machine.invocation import Invocation, Moved
from pdt_annotate.emit.machine.missing import Missing, find_missing
from pdt_annotate.emit.machine.paths import relative_to, without_root
from pdt_annotate.emit.mends import reason, standing
from pdt_annotate.emit.words import abbreviate, first_failures, renewing
from pdt_annotate.findings import messages
from pdt_annotate.findings.catalogue import entry
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.text import NOWHERE, Span
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import Ignored, Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Finding
from pdt_annotate.values.verdicts import Blame, Fault, Part, Verdict

MISSING = "PDT090"
"""The code of what is reported where annotations are missing."""

MENDED = "PDT092"
"""The code of what is reported where a change of code is missing, or would help."""

NOTHING_TO_MEND = frozenset({"PDT066"})
"""Codes of findings that state a fact and ask for nothing."""


class Level(enum.Enum):
    """How severe a notice is, by SARIF's names."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


MISSING_LEVELS: Mapping[WriteBack, Level] = {
    WriteBack.CHECK: Level.ERROR,
    WriteBack.DIFF: Level.WARNING,
    WriteBack.STUBS: Level.WARNING,
}
"""Written in place, nothing is missing any more."""


@dataclass(frozen=True)
class Notice:
    """One thing to mark.

    Args:
        level: how severe it is.
        code: an entry of the catalogue of findings.
        message: about this place, its paths relative to the invocation's base.
        file: "" where it has none.
        span: the place in the file as the command leaves it.
        subject: the function, class or part that it is about.
        advice: what to do, where more is known than the catalogue says.
        chain: through which places the compiler came there, the nearest first.
        edits: what removes the reason for it.
        slot: the name of the slot that it is about, "" for none.
        ignored: who asked that it be ignored.
    """

    level: Level
    code: str
    message: str
    file: str = ""
    span: Span = NOWHERE
    subject: str = ""
    advice: tuple[str, ...] = ()
    chain: tuple[Place, ...] = ()
    edits: tuple[Edit, ...] = ()
    slot: str = ""
    ignored: Ignored | None = None


def find_notices(outcome: Outcome, invocation: Invocation) -> list[Notice]:
    """Missing annotations and mends, findings, faults and failed verdicts, the most severe first, then by place."""
    return _in_order(_Notices(outcome, invocation).all())


def find_ignored(outcome: Outcome, invocation: Invocation) -> list[Notice]:
    """The findings that are to be ignored, in the same order."""
    notices = _Notices(outcome, invocation)
    return _in_order(replace(notices.finding(each.finding), ignored=each) for each in outcome.ignored)


def _in_order(found: Iterable[Notice]) -> list[Notice]:
    severity = list(Level)
    return sorted(dict.fromkeys(found), key=lambda n: (severity.index(n.level), n.file, n.span.line, n.code, n.message))


def missing_of(outcome: Outcome, invocation: Invocation) -> list[Missing]:
    """What is missing once the command has ended. Changes that did not hold are no annotations to write."""
    wanted = invocation.write_back in MISSING_LEVELS and outcome.is_sound
    return list(find_missing(outcome)) if wanted else []


class _Notices:
    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self.outcome = outcome
        self.invocation = invocation
        self.moved = Moved(outcome, invocation)

    def all(self) -> list[Notice]:
        """All notices; what is said of a place as a fault is not said of it again."""
        faults = [notice for blame in self.outcome.blame for notice in self.faults(blame)]
        told = {_place(notice) for notice in faults}
        # A verdict without a place is about the whole target, and its fault about the part in which that shows.
        told |= {(notice.code, "", 0) for notice in faults}
        verdicts = [notice for notice in self.verdicts() if _place(notice) not in told]
        told |= {_place(notice) for notice in verdicts}
        findings = [n for n in map(self.finding, self.outcome.findings) if not n.file or _place(n) not in told]
        missing = (n for each in missing_of(self.outcome, self.invocation) for n in self.missing(each))
        return [*missing, *faults, *verdicts, *findings, *self.advised()]

    def missing(self, missing: Missing) -> Iterator[Notice]:
        """One for all annotations of a function, one for each of its mends; to apply one of them is to apply all."""
        level = MISSING_LEVELS[self.invocation.write_back]
        place = missing.file, missing.span, missing.owner
        if missing.annotations or not missing.mends:
            lacking = f"{missing.owner} lacks {missing.shown}" if missing.owner else "annotations are missing"
            yield Notice(level, MISSING, lacking, *place, edits=missing.edits)
        for mend in missing.mends:
            yield replace(self.mend(mend, level), edits=missing.edits)

    def advised(self) -> Iterator[Notice]:
        """What would have helped."""
        for mend in self.outcome.advised.mends if self.outcome.advised else ():
            yield self.mend(mend, Level.NOTE)

    def mend(self, mend: Mend, level: Level) -> Notice:
        said = f"\nthe compiler said: {self.text(reason(mend))}" if mend.because else ""
        message = f"{mend.owner.qualname}: {mend.summary} ({standing(mend)}){said}"
        return Notice(level, MENDED, message, mend.place.file, _span(mend.place), mend.owner.qualname)

    def finding(self, finding: Finding) -> Notice:
        level = Level.NOTE if finding.code in NOTHING_TO_MEND else Level.WARNING
        advice: tuple[str, ...] = ()
        if self.outcome.outdated and finding in self.outcome.outdated.findings:
            level = MISSING_LEVELS.get(self.invocation.write_back, level)
            advice = (renewing(self.outcome.outdated),)
        subject = finding.slot.owner.qualname if finding.slot else ""
        place = self.moved.found(finding.place)
        slot = finding.slot.name if finding.slot else ""
        said = self.text(finding.message)
        return Notice(level, finding.code, said, place.file, _span(place), subject, advice, slot=slot)

    def faults(self, blame: Blame) -> Iterator[Notice]:
        """The faults of a target; one that several parts share stands once, with all of them."""
        parts: dict[Fault, list[Part]] = {}
        for part in blame.parts:
            for fault in part.faults:
                parts.setdefault(fault, []).append(part)
        for fault, sharing in parts.items():
            yield self.fault(fault, sharing)

    def fault(self, fault: Fault, parts: list[Part]) -> Notice:
        failure, first = fault.failure, parts[0]
        place = self.moved.found(failure.place if failure.place.file else first.place)
        paths = abbreviate([part.path for part in parts if part.path and not part.is_function], "to")
        said = self.text(failure.message.strip())
        return Notice(
            level=Level.ERROR,
            code=fault.code,
            message=f"{said}\n(in {paths})" if paths else said,
            file=place.file,
            span=_span(place),
            subject=fault.owner.qualname if fault.owner else first.name,
            advice=fault.advice,
            chain=tuple(map(self.moved.found, failure.chain)),
        )

    def verdicts(self) -> Iterator[Notice]:
        """The first no of each judge: the same fault mostly shows on every call."""
        return map(self.verdict, first_failures(self.outcome.verdicts))

    def verdict(self, verdict: Verdict) -> Notice:
        code, failure = messages.code_of(verdict), verdict.failure
        if failure is None:
            return Notice(Level.ERROR, code, self.text(f"verification failed: {verdict.judge}\n{verdict.note}".strip()))
        call = f" on the example call {failure.call}" if failure.call else ""
        return Notice(
            level=Level.ERROR,
            code=code,
            message=self.text(f"verification failed: {verdict.judge}{call}\n{failure.message.strip()}"),
            file=failure.place.file,
            span=_span(self.moved.judged(failure.place)),
            chain=tuple(map(self.moved.judged, failure.chain)),
        )

    def text(self, text: str) -> str:
        return without_root(self.invocation.base, text)


def _span(place: Place) -> Span:
    """What begins at a place; nobody said where it ends."""
    return Span(place.line, place.column)


def _place(notice: Notice) -> tuple[str, str, int]:
    return notice.code, notice.file, notice.span.line


def place_of(notice: Notice, base: str) -> str:
    """ "model.py:12:5", from the base."""
    return str(Place(relative_to(base, notice.file), notice.span.line, notice.span.column))


def advice_of(notice: Notice) -> Iterable[str]:
    """What to do about a notice."""
    return notice.advice or (entry(notice.code).advice,)
