"""JUnit XML, in the form that CI servers share (the xUnit plugin's `junit-10.xsd`). It holds no times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from xml.etree import ElementTree

from pdt_annotate.emit.machine.invocation import Invocation, relative_to
from pdt_annotate.emit.messages import Message, Messages, Missing
from pdt_annotate.findings.catalogue import entry
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.printable import disarm
from pdt_annotate.values.slots import Severity
from pdt_annotate.values.verdicts import Blame

_NO_XML = re.compile("[\ufffe\uffff]")
"""Characters that XML 1.0 (section 2.2) does not allow, apart from control characters and surrogates."""


@dataclass(frozen=True)
class Case:
    """One test case; it holds where it has no problem, and was not judged by itself where it says why."""

    name: str
    problems: tuple[Message, ...] = ()
    skipped: str = ""


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """The document as UTF-8 bytes. Characters that act, and that XML cannot carry, are spelled as Python does."""
    suites = _Suites(outcome, invocation)
    named = suites.all()
    root = ElementTree.Element("testsuites", {"name": "pdt-annotate", **_counts([c for _, cs in named for c in cs])})
    for name, cases in named:
        node = ElementTree.SubElement(root, "testsuite", {"name": _clean(name), **_counts(cases)})
        for case in cases:
            test = ElementTree.SubElement(node, "testcase", classname=_clean(name), name=_clean(case.name))
            for problem in case.problems:
                # Of a judge that only said no, what that means.
                is_bare = problem.lead and not problem.failure
                said = entry(problem.code).title if is_bare else problem.headline or problem.said
                failure = ElementTree.SubElement(test, "failure", message=_clean(said), type=problem.code)
                failure.text = _clean(suites.text(problem))
            if case.skipped:
                ElementTree.SubElement(test, "skipped", message=_clean(case.skipped))
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    failures = sum(bool(case.problems) for case in cases)
    return {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}


def _clean(text: str) -> str:
    return _NO_XML.sub("", disarm(text))


class _Suites:
    """The cases of an outcome, by suite."""

    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self.outcome = outcome
        self.invocation = invocation
        self.messages = Messages(outcome, invocation)

    def all(self) -> list[tuple[str, list[Case]]]:
        """A suite for each target. Judges speak of all targets together; where there are several, that comes first."""
        names = [self.messages.text(target.text) for target in self.outcome.targets]
        parts = {self.messages.text(blame.target.text): list(self.parts(blame)) for blame in self.outcome.blame}
        common = [*self.verdicts(), *(self.lacking() if self.invocation.write_back.fails_on_missing else ())]
        if len(names) == 1:
            return [(names[0], [*common, *parts.get(names[0], ())])]
        return [("all targets", common), *((name, parts.get(name, [])) for name in names)]

    def verdicts(self) -> Iterator[Case]:
        """A case for each judge; one that judges each call has a numbered case for each."""
        repeated = Counter(verdict.judge for verdict in self.outcome.verdicts)
        seen: Counter[str] = Counter()
        for verdict in self.outcome.verdicts:
            seen[verdict.judge] += 1
            number = f" {seen[verdict.judge]}" if repeated[verdict.judge] > 1 else ""
            yield Case(f"{verdict.judge}{number}", () if verdict.ok else (self.messages.of_verdict(verdict),))

    def lacking(self) -> Iterator[Case]:
        """A case for each function of whose types a profile knows nothing, or that lacks annotations or mends."""
        for finding in self.outcome.outdated.findings if self.outcome.outdated else ():
            yield Case(f"annotations of {self.shown(finding.place)}", (self.messages.of_finding(finding),))
        for missing in self.messages.lacking():
            yield from self.missing(missing)

    def missing(self, missing: Missing) -> Iterator[Case]:
        """The missing annotations; the name of the case has the function."""
        annotations, *_ = self.messages.of_missing(missing)
        if missing.annotations or not missing.mends:
            lacking = f"lacks {missing.shown or 'annotations'}"
            name = missing.owner or self.shown(missing.place)
            yield Case(f"annotations of {name}", (replace(annotations, said=lacking),))
        if missing.mends:
            mends = ((self.messages.of_mend(each, Severity.ERROR), each.summary) for each in missing.mends)
            shown = tuple(replace(message, said=summary, headline=summary) for message, summary in mends)
            yield Case(f"mends of {missing.owner}", shown)

    def parts(self, blame: Blame) -> Iterator[Case]:
        """A case for each part of a target that failed."""
        for part in blame.parts:
            found = tuple(replace(self.messages.of_fault(fault, [part]), notes=()) for fault in part.faults)
            is_held = not found and not part.is_sound
            why = f"fails by the fault of {', '.join(part.blamed) or 'another part'}" if is_held else ""
            yield Case(f"part {part.path or part.name}", found, why)

    def text(self, message: Message) -> str:
        """What was said, where, how the compiler came there, on which call, and what to do."""
        failure, place = message.failure, message.place
        has_place = failure.place.file if failure else place.file
        where = [f"at {self.shown(place)}"] if has_place else []
        where += [f"called from {self.shown(each)}" for each in message.chain if each.file]
        call = [f"on the example call {failure.call}"] if failure and failure.call else []
        said = [message.said] if message.said else []
        return "\n".join((*said, *where, *call, *message.notes, *message.steps))

    def shown(self, place: Place) -> str:
        return str(place.named(relative_to(self.invocation.base, place.file)))
