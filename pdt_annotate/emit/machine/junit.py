"""JUnit XML, in the form that CI servers share (the xUnit plugin's `junit-10.xsd`). It tells no times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.machine.paths import relative_to
from pdt_annotate.emit.messages import MENDED, MISSING, Message, Messages
from pdt_annotate.findings.catalogue import entry
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.printable import disarm
from pdt_annotate.values.slots import Severity
from pdt_annotate.values.verdicts import Blame, Part

_NO_XML = re.compile("[\ufffe\uffff]")
"""What XML 1.0 (section 2.2) has no way to write, beside control characters and surrogates."""


@dataclass(frozen=True)
class TestProblem:
    """Why a case failed: the code of a finding, a line, and all that there is to say."""

    code: str
    message: str
    text: str


@dataclass(frozen=True)
class Case:
    """One test case; it holds where it has no problem, and was not judged by itself where it says why."""

    name: str
    problems: tuple[TestProblem, ...] = ()
    skipped: str = ""


@dataclass(frozen=True)
class Suite:
    name: str
    cases: tuple[Case, ...]


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """The document as UTF-8 bytes. Characters that act, and that XML cannot carry, are spelled as Python does."""
    suites = find_suites(outcome, invocation)
    cases = [case for suite in suites for case in suite.cases]
    root = ElementTree.Element("testsuites", {"name": "pdt-annotate", **_counts(cases)})
    for suite in suites:
        node = ElementTree.SubElement(root, "testsuite", {"name": _clean(suite.name), **_counts(suite.cases)})
        for case in suite.cases:
            _add_case(node, suite, case)
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _add_case(parent: ElementTree.Element, suite: Suite, case: Case) -> None:
    node = ElementTree.SubElement(parent, "testcase", classname=_clean(suite.name), name=_clean(case.name))
    for problem in case.problems:
        failure = ElementTree.SubElement(node, "failure", message=_clean(problem.message), type=problem.code)
        failure.text = _clean(problem.text)
    if case.skipped:
        ElementTree.SubElement(node, "skipped", message=_clean(case.skipped))


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    failures = sum(bool(case.problems) for case in cases)
    return {"tests": str(len(cases)), "failures": str(failures), "errors": "0"}


def _clean(text: str) -> str:
    return _NO_XML.sub("", disarm(text))


def find_suites(outcome: Outcome, invocation: Invocation) -> list[Suite]:
    """A suite for each target. Judges speak of all targets together; where there are several, that comes first."""
    cases = _Cases(outcome, invocation)
    names = [cases.messages.text(target.text) for target in outcome.targets]
    parts = {cases.messages.text(blame.target.text): tuple(cases.parts(blame)) for blame in outcome.blame}
    common = tuple(cases.common())
    if len(names) == 1:
        return [Suite(names[0], (*common, *parts.get(names[0], ())))]
    return [Suite("all targets", common), *(Suite(name, parts.get(name, ())) for name in names)]


class _Cases:
    """The cases of an outcome, of each target those of its parts."""

    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self.outcome = outcome
        self.invocation = invocation
        self.messages = Messages(outcome, invocation)

    def common(self) -> Iterator[Case]:
        """Those of all targets together."""
        yield from self.verdicts()
        if self.invocation.write_back.fails_on_missing:
            yield from self.unknown()
            yield from self.missing()

    def verdicts(self) -> Iterator[Case]:
        """A case for each judge; one that judges each call has a numbered case for each."""
        repeated = Counter(verdict.judge for verdict in self.outcome.verdicts)
        seen: Counter[str] = Counter()
        for verdict in self.outcome.verdicts:
            seen[verdict.judge] += 1
            number = f" {seen[verdict.judge]}" if repeated[verdict.judge] > 1 else ""
            problems = () if verdict.ok else (self.problem(self.messages.of_verdict(verdict)),)
            yield Case(f"{verdict.judge}{number}", problems)

    def unknown(self) -> Iterator[Case]:
        """A case for each function of whose types a profile knows nothing."""
        for finding in self.outcome.outdated.findings if self.outcome.outdated else ():
            message = self.messages.of_finding(finding)
            where = self.shown(finding.place)
            text = "\n".join((message.said, f"at {where}", *message.steps))
            yield Case(f"annotations of {where}", (TestProblem(message.code, message.said, text),))

    def missing(self) -> Iterator[Case]:
        """A case for each function that lacks annotations, and one for each that lacks mends."""
        for each in self.messages.lacking():
            place = self.shown(each.place)
            if each.annotations or not each.mends:
                lacking = f"lacks {each.shown or 'annotations'}"
                text = f"{lacking}\nat {place}\n{entry(MISSING).advice}"
                yield Case(f"annotations of {each.owner or place}", (TestProblem(MISSING, lacking, text),))
            if each.mends:
                yield Case(f"mends of {each.owner}", tuple(map(self.mend, each.mends)))

    def mend(self, mend: Mend) -> TestProblem:
        message = self.messages.of_mend(mend, Severity.ERROR)
        text = "\n".join((mend.summary, f"at {self.shown(mend.place)}", *message.notes, *message.steps))
        return TestProblem(MENDED, mend.summary, text)

    def parts(self, blame: Blame) -> Iterator[Case]:
        """A case for each part of a target that failed."""
        for part in blame.parts:
            found = tuple(self.problem(self.messages.of_fault(fault, [part])) for fault in part.faults)
            yield Case(f"part {part.path or part.name}", found, "" if found else _why_skipped(part))

    def problem(self, message: Message) -> TestProblem:
        """What was said, where, how the compiler came there, on which call, and what to do."""
        failure = message.failure
        if failure is None:
            title = entry(message.code).title
            return TestProblem(message.code, title, "\n".join(filter(None, (message.said, *message.steps))))
        where = [f"at {self.shown(message.place)}"] if failure.place.file else []
        where += [f"called from {self.shown(place)}" for place in message.chain if place.file]
        call = [f"on the example call {failure.call}"] if failure.call else []
        text = "\n".join((message.said, *where, *call, *message.steps))
        return TestProblem(message.code, message.headline, text)

    def shown(self, place: Place) -> str:
        return str(place.named(relative_to(self.invocation.base, place.file)))


def _why_skipped(part: Part) -> str:
    return "" if part.is_sound else f"fails by the fault of {', '.join(part.blamed) or 'another part'}"
