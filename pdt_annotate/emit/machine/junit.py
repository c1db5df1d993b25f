"""JUnit XML in the form that CI servers share (the xUnit plugin's `junit-10.xsd`). It contains no times."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from xml.etree import ElementTree

from pdt_annotate.emit.machine.invocation import Invocation, relative_to
from pdt_annotate.emit.messages import Message, Messages
from pdt_annotate.findings.catalogue import entry
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.printable import disarm
from pdt_annotate.values.slots import Place, Severity

_NO_XML = re.compile("[\ufffe\uffff]")
"""Characters that XML 1.0 (section 2.2) does not allow, apart from control characters and surrogates."""


@dataclass(frozen=True)
class Case:
    """One test case; it passes if it has no problem. `skipped` says why it was not judged alone."""

    name: str
    problems: tuple[Message, ...] = ()
    skipped: str = ""


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """The document as UTF-8 bytes. Control characters and characters that XML cannot contain become Python escapes."""
    messages = Messages(outcome, invocation)
    named = _suites(messages)
    root = ElementTree.Element("testsuites", {"name": "pdt-annotate", **_counts([c for _, cs in named for c in cs])})
    for name, cases in named:
        node = ElementTree.SubElement(root, "testsuite", {"name": _clean(name), **_counts(cases)})
        for case in cases:
            test = ElementTree.SubElement(node, "testcase", classname=_clean(name), name=_clean(case.name))
            for problem in case.problems:
                # For a judge that only said no, the meaning of that no.
                is_bare = problem.lead and not problem.failure
                said = entry(problem.code).title if is_bare else problem.headline or problem.said
                failure = ElementTree.SubElement(test, "failure", message=_clean(said), type=problem.code)
                failure.text = _clean(_text(messages, problem))
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


def _suites(messages: Messages) -> list[tuple[str, list[Case]]]:
    """A suite for each target; for several targets, the judges, who judge them together, have a suite before them."""
    names = [messages.text(target.text) for target in messages.outcome.targets]
    parts: dict[str, list[Case]] = {}
    for blame in messages.outcome.blame:
        cases = parts[messages.text(blame.target.text)] = []
        for part in blame.parts:
            found = tuple(replace(messages.of_fault(fault, [part]), notes=()) for fault in part.faults)
            is_held = not found and not part.is_sound
            why = f"fails because of {', '.join(part.blamed) or 'another part'}" if is_held else ""
            cases.append(Case(f"part {part.path or part.name}", found, why))
    repeated = Counter(verdict.judge for verdict in messages.outcome.verdicts)
    seen: Counter[str] = Counter()
    common = []
    for verdict in messages.outcome.verdicts:
        seen[verdict.judge] += 1
        number = f" {seen[verdict.judge]}" if repeated[verdict.judge] > 1 else ""
        common.append(Case(f"{verdict.judge}{number}", () if verdict.ok else (messages.of_verdict(verdict),)))
    common += _lacking(messages) if messages.invocation.write_back.fails_on_missing else ()
    if len(names) == 1:
        return [(names[0], [*common, *parts.get(names[0], ())])]
    return [("all targets", common), *((name, parts.get(name, [])) for name in names)]


def _lacking(messages: Messages) -> Iterator[Case]:
    """A case for each function that a profile does not know, or that lacks annotations or mends."""
    for finding in messages.outcome.outdated.findings if messages.outcome.outdated else ():
        yield Case(f"annotations of {_shown(messages, finding.place)}", (messages.of_finding(finding),))
    for missing in messages.lacking():
        annotations, *_ = messages.of_missing(missing)
        if missing.annotations or not missing.mends:
            name = missing.owner or _shown(messages, annotations.place)
            lacking = replace(annotations, said=f"lacks {missing.shown or 'annotations'}")
            yield Case(f"annotations of {name}", (lacking,))
        if missing.mends:
            mends = ((messages.of_mend(each, Severity.ERROR), each.summary) for each in missing.mends)
            shown = tuple(replace(message, said=summary, headline=summary) for message, summary in mends)
            yield Case(f"mends of {missing.owner}", shown)


def _text(messages: Messages, message: Message) -> str:
    """The message, its place, the compiler's way there, the call, and advice."""
    has_place = message.failure.place.file if message.failure else message.place.file
    where = [f"at {_shown(messages, message.place)}"] if has_place else []
    where += [f"called from {_shown(messages, each)}" for each in message.chain if each.file]
    said = (message.said, *where, message.call)
    return "\n".join((*filter(None, said), *message.notes, *message.steps))


def _shown(messages: Messages, place: Place) -> str:
    return str(place.named(relative_to(messages.invocation.base, place.file)))
