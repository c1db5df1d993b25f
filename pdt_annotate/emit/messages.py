"""An outcome as one list of messages, which every output shows in its own form.

A missing annotation comes from the changes, a fault from the blame of a target, a failed verdict from a judge; the
rest are findings. To show something else of a message in an output, add a field to the message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from operator import attrgetter

from pdt_annotate.emit.machine.invocation import Invocation, Moved, without_root
from pdt_annotate.emit.words import abbreviate, asked_by, declared, first_failures, on_calls, renewing
from pdt_annotate.findings import messages as compiler_messages
from pdt_annotate.findings.catalogue import entry
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.findings.remedies import advice
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.module import read_module
from pdt_annotate.source.text import Span, decode
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import Ignored, Outcome
from pdt_annotate.values.paths import find_here
from pdt_annotate.values.slots import NO_PLACE, Annotation, Finding, Place, Severity
from pdt_annotate.values.verdicts import Failure, Fault, Part, Verdict, judge_of

MISSING = "PDT090"  # annotations are missing
MENDED = "PDT092"  # a change of code is missing, or would help
LACKING = frozenset({MISSING, MENDED})  # the codes that fail a check
NOTHING_TO_MEND = frozenset({"PDT066"})  # it states a fact and asks for nothing
CHANGE_ANSWERS = ("PDT032", "PDT042", "PDT064")  # they may explain why answers differ after adding only annotations
FAULT_KEY = attrgetter("code", "place.file", "place.line")  # of a message; two with an equal key report one fault
TRAPS = "PDT100"  # from this code on, findings are places where TorchScript silently differs from Python


@dataclass(frozen=True)
class Message:
    severity: Severity
    code: str
    said: str
    place: Place = NO_PLACE  # in the file as the command leaves it
    headline: str = ""  # `said` in one line; "" if `said` is one line
    lead: str = ""  # a line that names the judge
    notes: tuple[str, ...] = ()
    end: tuple[int, int] = (0, 0)  # the line and column of the place's end; 0 if not known
    subject: str = ""  # the function, class or part that it is about
    function: str = ""
    parts: str = ""  # the paths of the parts that share a fault
    advice: tuple[str, ...] = ()  # advice, if more is known than the catalogue says
    chain: tuple[Place, ...] = ()  # the callers through which the compiler came there, the nearest first
    edits: tuple[Edit, ...] = ()  # the edits that remove the reason for the message
    slot: str = ""
    asked_for: tuple[str, ...] = ()  # the rules of mends that answer it
    ignored: Ignored | None = None
    failure: Failure | None = field(default=None, compare=False)

    @property
    def text(self) -> str:
        return "\n".join(filter(None, (self.lead, self.said, *self.notes)))

    @property
    def call(self) -> str:
        """ "on call 2", or "" if no example call showed the fault."""
        return on_calls([self.failure.call]) if self.failure and self.failure.call else ""

    @property
    def steps(self) -> tuple[str, ...]:
        return self.advice or (entry(self.code).advice,)


class Messages:
    """The messages of an outcome, with paths relative to the base of the invocation."""

    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self.outcome = outcome
        self.invocation = invocation
        self.moved = Moved(outcome, invocation)

    def all(self) -> list[Message]:
        """All messages, the most severe first, then by place; nothing repeats a fault at the same place."""
        faults = self.faults()
        known = {FAULT_KEY(message) for message in faults}
        # A verdict without a place is about the whole target; its fault is about the part that shows it.
        known |= {(message.code, "", 0) for message in faults}
        verdicts = [message for message in self.verdicts() if FAULT_KEY(message) not in known]
        findings = self.unsaid(self.outcome.findings)
        advised = self.outcome.advised if self.outcome.is_helped else None
        would_help = (self.of_mend(mend, Severity.NOTE) for mend in (advised.mends if advised else ()))
        missing = (message for each in self.lacking() for message in self.of_missing(each))
        return _in_order((*missing, *faults, *verdicts, *findings, *would_help))

    def ignored(self) -> list[Message]:
        return _in_order(replace(self.of_finding(each.finding), ignored=each) for each in self.outcome.ignored)

    def lacking(self) -> list[Missing]:
        """The annotations that the files still lack after the command. Unverified changes do not count."""
        wanted = self.invocation.write_back.value.missing is not None and self.outcome.is_sound
        return list(find_missing(self.outcome)) if wanted else []

    def faults(self) -> list[Message]:
        """The faults of each target; parts with the same message about the same line share one."""
        found = []
        for blame in self.outcome.blame:
            sharing: dict[tuple[str, Place, str], tuple[Fault, list[Part]]] = {}
            for part in blame.parts:
                for fault in part.faults:
                    key = (fault.code, fault.failure.place.whole_line, telling_line(fault.failure))
                    sharing.setdefault(key, (fault, []))[1].append(part)
            found += [self.of_fault(*shared) for shared in sharing.values()]
        return found

    def verdicts(self) -> list[Message]:
        return [self.of_verdict(verdict) for verdict in first_failures(self.outcome.verdicts)]

    def blamed(self) -> list[Message]:
        """The faults, beginning with the one that stopped the compiler; without faults, the failed verdicts."""
        verdicts = self.verdicts()
        met = {each.failure.place.whole_line for each in verdicts if each.failure}
        faults = self.faults()
        if faults:
            return sorted(faults, key=lambda each: not each.failure or each.failure.place.whole_line not in met)
        return [replace(each, advice=(advice(each.code, each.failure or Failure(each.headline)),)) for each in verdicts]

    def unsaid(self, findings: Iterable[Finding]) -> list[Message]:
        """The findings that no fault or verdict repeats at the same place."""
        said = {FAULT_KEY(message) for message in (*self.faults(), *self.verdicts())}
        return [each for each in map(self.of_finding, findings) if not each.place.file or FAULT_KEY(each) not in said]

    def of_missing(self, missing: Missing) -> Iterator[Message]:
        """One message for all annotations of a function, one for each of its mends; each has the edits for them all."""
        severity = self.invocation.write_back.value.missing or Severity.WARNING
        if missing.annotations or not missing.mends:
            owner, span, edits = missing.owner, missing.span, missing.edits
            said = f"{owner} lacks {missing.shown}" if owner else "annotations are missing"
            place, end = Place(missing.file, span.line, span.column), (span.end_line, span.end_column)
            yield Message(severity, MISSING, said, place, end=end, subject=owner, edits=edits)
        for mend in missing.mends:
            yield replace(self.of_mend(mend, severity), edits=missing.edits)

    def of_mend(self, mend: Mend, severity: Severity) -> Message:
        name = mend.owner.qualname
        headline = f"{name}: {mend.summary}"
        said = f"{headline} ({mend.kind.value}, {mend.rewrite})"
        notes = (f"the compiler said: {self.text(asked_by(mend))}",) if mend.because else ()
        return Message(severity, MENDED, said, mend.place, headline, notes=notes, subject=name)

    def of_finding(self, finding: Finding) -> Message:
        message = message_of(finding)
        message = replace(message, said=self.text(message.said), place=self.moved.found(message.place))
        if self.outcome.outdated and finding in self.outcome.outdated.findings:
            severity = self.invocation.write_back.value.missing or message.severity
            return replace(message, severity=severity, advice=(renewing(self.outcome.outdated),))
        return message

    def of_fault(self, fault: Fault, parts: list[Part]) -> Message:
        failure, first = fault.failure, parts[0]
        paths = abbreviate([part.path for part in parts if part.path and not part.is_function], "to")
        function = fault.owner.qualname if fault.owner else ""
        message = self._of_failure(fault.code, failure, self.moved.found)
        return replace(
            message,
            place=message.place if failure.place.file else self.moved.found(first.place),
            notes=(f"(in {paths})",) if paths else (),
            subject=function or first.name,
            function=function,
            parts=paths,
            advice=fault.advice,
            asked_for=fault.asked_for,
        )

    def of_verdict(self, verdict: Verdict) -> Message:
        lead = f"verification failed: {judge_of(verdict.judge).no or verdict.judge}"
        failure = verdict.failure or Failure(verdict.note)
        message = self._of_failure(compiler_messages.code_of(verdict), failure, self.moved.judged)
        called = f"{lead} {on_calls([failure.call])}" if failure.call else lead
        return replace(message, headline=message.headline or self.text(lead), lead=called, failure=verdict.failure)

    def _of_failure(self, code: str, failure: Failure, moved: Callable[[Place], Place]) -> Message:
        said, headline = self.text(failure.message.strip()), self.text(telling_line(failure))
        chain = tuple(map(moved, failure.chain))
        return Message(Severity.ERROR, code, said, moved(failure.place), headline, chain=chain, failure=failure)

    def text(self, text: str) -> str:
        return without_root(self.invocation.base, text)


def messages_here(outcome: Outcome, write_back: WriteBack) -> Messages:
    """The messages for a person, with paths relative to the working directory."""
    return Messages(outcome, Invocation(find_here() or outcome.root, write_back))


def message_of(finding: Finding) -> Message:
    severity = Severity.NOTE if finding.code in NOTHING_TO_MEND else Severity.WARNING
    subject, slot = (finding.slot.owner.qualname, finding.slot.name) if finding.slot else ("", "")
    return Message(severity, finding.code, finding.message, finding.place, subject=subject, slot=slot)


def _in_order(found: Iterable[Message]) -> list[Message]:
    severity = list(Severity)
    return sorted(
        dict.fromkeys(found),
        key=lambda each: (severity.index(each.severity), each.place.file, each.place.line, each.code, each.text),
    )


@dataclass(frozen=True)
class Missing:
    """The annotations and mends that one function or class lacks."""

    file: str
    owner: str  # its qualified name; "" if the changes in the file cannot be assigned to owners
    span: Span  # its name in the present file
    annotations: tuple[Annotation, ...]
    # The edits that add them, one at a place, with the imports of the file. Each `Missing` can be applied alone; all
    # of a file together make the verified file.
    edits: tuple[Edit, ...]
    mends: tuple[Mend, ...] = ()

    @property
    def shown(self) -> str:
        """ "x: Tensor, mask: Optional[Tensor], -> Tensor"."""
        return ", ".join(map(declared, self.annotations))


def find_missing(outcome: Outcome) -> Iterator[Missing]:
    annotations = grouped((a.slot.owner, a) for a in sorted(outcome.annotations, key=lambda a: a.slot.sort_key))
    mends = grouped((mend.owner, mend) for mend in outcome.mends)
    for change in sorted(outcome.changes, key=lambda change: change.file):
        found, text = read_module(change.file, change.before), decode(change.before)
        names = {each.owner: text.name_start(each.node) for each in found.by_line.values()}
        spans = {owner: text.span(start, text.name_end(start)) for owner, start in names.items()}
        joined, lacking = tuple(_join(change.edits)), spans.keys() & (annotations.keys() | mends.keys())
        for owner in sorted(lacking, key=lambda owner: (owner.line, owner.qualname)):
            edits = tuple(each for each in joined if each.owner == owner or each.owner not in lacking)
            types, changes = tuple(annotations.get(owner, ())), tuple(mends.get(owner, ()))
            yield Missing(change.file, owner.qualname, spans[owner], types, edits, changes)
        if not lacking:
            yield Missing(change.file, "", Span(1), (), joined)


def _join(edits: Iterable[Edit]) -> Iterator[Edit]:
    """One edit for each place, since consumers may reorder several; an edit that joins those of two owners has none."""
    touching: list[list[Edit]] = []
    for edit in edits:
        before = touching[-1][-1] if touching else None
        if before and edit.offset in (before.offset, before.end):
            touching[-1].append(edit)
        else:
            touching.append([edit])
    for same in touching:
        owners = {each.owner for each in same}
        text, removed = "".join(each.text for each in same), sum(each.removed for each in same)
        yield Edit(same[0].offset, text, owners.pop() if len(owners) == 1 else None, removed=removed)
