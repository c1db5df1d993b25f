"""JUnit XML, in the form that CI servers share (the xUnit plugin's `junit-10.xsd`). It tells no times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from pdt_annotate.emit.machine.invocation import Invocation, Moved
from pdt_annotate.emit.machine.notices import MENDED, MISSING, MISSING_LEVELS, Level, missing_of
from pdt_annotate.emit.machine.paths import relative_to, without_root
from pdt_annotate.emit.mends import reason
from pdt_annotate.emit.words import renewing
from pdt_annotate.findings import messages
from pdt_annotate.findings.catalogue import entry
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import Outcome, Outdated
from pdt_annotate.values.places import Place
from pdt_annotate.values.printable import disarm
from pdt_annotate.values.verdicts import Blame, Failure, Part, Verdict

_NO_XML = re.compile("[\ufffe\uffff]")
"""What XML 1.0 (section 2.2) has no way to write, beside control characters and surrogates."""

Follow = Callable[[Place], Place]
"""A place → where it is now."""


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
    suites = _Suites(outcome, invocation)
    names = [suites.text(target.text) for target in outcome.targets]
    parts = {suites.text(blame.target.text): tuple(suites.parts(blame)) for blame in outcome.blame}
    common = (*suites.verdicts(), *suites.missing())
    if len(names) == 1:
        return [Suite(names[0], (*common, *parts.get(names[0], ())))]
    return [Suite("all targets", common), *(Suite(name, parts.get(name, ())) for name in names)]


class _Suites:
    def __init__(self, outcome: Outcome, invocation: Invocation) -> None:
        self.outcome = outcome
        self.invocation = invocation
        self.moved = Moved(outcome, invocation)

    def text(self, text: str) -> str:
        return without_root(self.invocation.base, text)

    def shown(self, place: Place) -> str:
        return str(place.named(relative_to(self.invocation.base, place.file)))

    def verdicts(self) -> Iterator[Case]:
        """A case for each judge; one that judges each call has a numbered case for each."""
        repeated = Counter(verdict.judge for verdict in self.outcome.verdicts)
        seen: Counter[str] = Counter()
        for verdict in self.outcome.verdicts:
            seen[verdict.judge] += 1
            number = f" {seen[verdict.judge]}" if repeated[verdict.judge] > 1 else ""
            yield Case(f"{verdict.judge}{number}", () if verdict.ok else (self.problem(verdict),))

    def problem(self, verdict: Verdict) -> TestProblem:
        code, failure = messages.code_of(verdict), verdict.failure
        advice = (entry(code).advice,)
        if failure is None:
            return TestProblem(code, entry(code).title, "\n".join(filter(None, (verdict.note, *advice))))
        return self.describe(code, failure, advice, self.moved.judged)

    def missing(self) -> Iterator[Case]:
        """A case for each function that lacks annotations or mends, where a check asks for them."""
        if MISSING_LEVELS.get(self.invocation.write_back) is not Level.ERROR:
            return
        if self.outcome.outdated:
            yield from self.unknown(self.outcome.outdated)
        for each in missing_of(self.outcome, self.invocation):
            place = self.shown(Place(each.file, each.span.line, each.span.column))
            if each.annotations or not each.mends:
                lacking = f"lacks {each.shown or 'annotations'}"
                text = f"{lacking}\nat {place}\n{entry(MISSING).advice}"
                yield Case(f"annotations of {each.owner or place}", (TestProblem(MISSING, lacking, text),))
            if each.mends:
                yield Case(f"mends of {each.owner}", tuple(map(self.mend, each.mends)))

    def unknown(self, outdated: Outdated) -> Iterator[Case]:
        """A case for each function of whose types a profile knows nothing."""
        for finding in outdated.findings:
            place = self.shown(finding.place)
            text = "\n".join((finding.message, f"at {place}", renewing(outdated)))
            yield Case(f"annotations of {place}", (TestProblem(finding.code, finding.message, text),))

    def mend(self, mend: Mend) -> TestProblem:
        said = [f"the compiler said: {self.text(reason(mend))}"] if mend.because else []
        text = "\n".join((mend.summary, f"at {self.shown(mend.place)}", *said, entry(MENDED).advice))
        return TestProblem(MENDED, mend.summary, text)

    def parts(self, blame: Blame) -> Iterator[Case]:
        for part in blame.parts:
            found = tuple(self.describe(f.code, f.failure, f.advice, self.moved.found) for f in part.faults)
            yield Case(f"part {part.path or part.name}", found, "" if found else _why_skipped(part))

    def describe(self, code: str, failure: Failure, advice: Sequence[str], follow: Follow) -> TestProblem:
        """What was said, where, how the compiler came there, on which call, and what to do."""
        places = (("at", failure.place), *(("called from", place) for place in failure.chain))
        where = [f"{how} {self.shown(follow(place))}" for how, place in places if place.file]
        call = [f"on the example call {failure.call}"] if failure.call else []
        text = "\n".join((self.text(failure.message.strip()), *where, *call, *advice))
        return TestProblem(code, self.text(telling_line(failure)), text)


def _why_skipped(part: Part) -> str:
    return "" if part.is_sound else f"fails by the fault of {', '.join(part.blamed) or 'another part'}"
