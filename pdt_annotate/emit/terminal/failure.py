"""What came of a run that failed: the verdict in one line, then the few places that are to blame and what to do."""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from pdt_annotate.emit.machine.invocation import Invocation, Moved
from pdt_annotate.emit.module_tree import SAID, in_the_way
from pdt_annotate.emit.terminal.excerpt import excerpt
from pdt_annotate.emit.terminal.findings import CHANGE_ANSWERS, advised, located, more_lines
from pdt_annotate.emit.words import ANSWER_JUDGES, abbreviate, declared, evidence, first_failures, shown
from pdt_annotate.findings import catalogue, messages
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.findings.remedies import advice
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source import survey
from pdt_annotate.source.text import decode
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Finding, Owner
from pdt_annotate.values.verdicts import Answers, Blame, Failure, Fault, Part, Verdict

MOST = 3
"""Places to blame that are shown where not all are asked for."""

CUT_OFF = "PDT091"

HELD_BACK = ANSWER_JUDGES[1]

JUDGED = {
    "scripts": SAID[Answers.UNKNOWN],
    ANSWER_JUDGES[0]: SAID[Answers.DIFFER],
    HELD_BACK: f"{SAID[Answers.DIFFER]} on a call that is held back",
}
"""What a judge's no means for a target."""


@dataclass(frozen=True)
class Culprit:
    """One thing that is to blame: a fault of some parts, or what a judge said no to."""

    code: str
    failure: Failure
    place: Place
    line: str
    about: str = ""
    advice: tuple[str, ...] = ()


class FilesLeft:
    """Places and lines in the files as the command leaves them.

    Args:
        outcome: of the run.
        write_back: where the result went; what was not written has moved nothing.
    """

    def __init__(self, outcome: Outcome, write_back: WriteBack) -> None:
        self.moved = Moved(outcome, Invocation(outcome.root, write_back))
        is_written = outcome.is_sound and write_back is WriteBack.IN_PLACE
        self._sources = {each.file: each.after if is_written else each.before for each in outcome.changes}

    def line(self, place: Place) -> str:
        """The line at such a place, "" where there is none."""
        if place.file not in self._sources:
            return linecache.getline(place.file, place.line)
        lines = decode(self._sources[place.file]).lines
        return lines[place.line - 1] if 0 < place.line <= len(lines) else ""


def verdict_lines(outcome: Outcome) -> Iterator[Text]:
    """Of each target that failed what came of it, and where."""
    failed = list(dict.fromkeys(verdict.judge for verdict in outcome.verdicts if not verdict.ok))
    for blame in outcome.blame:
        told = SAID[blame.parts[0].answers]
        said = JUDGED[HELD_BACK] if failed == [HELD_BACK] and told == SAID[Answers.DIFFER] else told
        why = in_the_way(blame)
        yield Text(f"{blame.target.text} {said}{f': {why}' if why else ''}", style="bold red")
    if not outcome.blame:
        names = ", ".join(target.text for target in outcome.targets) or "the result"
        said = JUDGED.get(failed[0], f"fails verification: {', '.join(failed)}") if failed else "is not verified"
        yield Text(f"{names} {said}", style="bold red")


def find_culprits(outcome: Outcome, files: FilesLeft) -> list[Culprit]:
    """The faults of parts, the one that the compiler met first before the others; else what judges said no to."""
    faults = [each for blame in outcome.blame for each in _culprits_in(blame, files)]
    failed = first_failures(outcome.verdicts)
    met = {each.failure.place.whole_line for each in failed if each.failure}
    return sorted(faults, key=lambda each: each.failure.place.whole_line not in met) or [
        _culprit_of(verdict, outcome, files) for verdict in failed
    ]


def _culprits_in(blame: Blame, files: FilesLeft) -> Iterator[Culprit]:
    """The faults of a target; one that several parts share stands once, with all of them."""
    sharing: dict[tuple[str, Place, str], list[tuple[Fault, Part]]] = {}
    for part in blame.parts:
        for fault in part.faults:
            key = (fault.code, fault.failure.place.whole_line, telling_line(fault.failure))
            sharing.setdefault(key, []).append((fault, part))
    for together in sharing.values():
        (fault, part), paths = together[0], [part.path for _, part in together if part.path and not part.is_function]
        place = files.moved.found(fault.failure.place if fault.failure.place.file else part.place)
        inside = f"in {fault.owner.qualname}" if fault.owner else ""
        about = ", of ".join(filter(None, (inside, abbreviate(paths, "to"))))
        yield Culprit(fault.code, fault.failure, place, files.line(place), about, fault.advice)


def _culprit_of(verdict: Verdict, outcome: Outcome, files: FilesLeft) -> Culprit:
    failure = verdict.failure or Failure(verdict.note or f"verification failed: {verdict.judge}")
    code, place = messages.code_of(verdict), files.moved.judged(failure.place)
    function = enclosing(failure, outcome)
    return Culprit(
        code, failure, place, files.line(place), f"in {function}" if function else "", (advice(code, failure),)
    )


def culprit_lines(
    culprits: Sequence[Culprit], width: int, *, in_full: bool = False, hints: bool = True
) -> Iterator[Text]:
    """What is to blame, each at its place with its line, and what to do about it.

    Args:
        culprits: the first of which are shown.
        width: columns for a line of code.
        in_full: all of them, with the callers through which the compiler came there.
        hints: whether it is said what to do.
    """
    most = len(culprits) if in_full else MOST
    given: set[str] = set()
    for each in culprits[:most]:
        yield from _culprit_lines(each, width)
        yield from (Text(f"  called from {shown(place)}") for place in each.failure.chain if in_full)
        yield from (advised(text) for text in each.advice if hints and text not in given)
        given.update(each.advice)
    left = len(culprits) - most
    yield from more_lines(left, "place to blame" if left == 1 else "places to blame")


def _culprit_lines(culprit: Culprit, width: int) -> Iterator[Text]:
    said = telling_line(culprit.failure).replace(os.path.join(os.getcwd(), ""), "")
    yield from located(culprit.place, culprit.code, f"{catalogue.entry(culprit.code).title}: {said}")
    yield from excerpt(culprit.line, culprit.place, width)
    call = f"on the example call {culprit.failure.call}" if culprit.failure.call else ""
    if culprit.about or call:
        yield Text(f"  {', '.join(filter(None, (culprit.about, call)))}", style="dim")


def bearing(outcome: Outcome) -> list[Finding]:
    """The findings that may be why a run failed."""
    found = [each for verdict in first_failures(outcome.verdicts) for each in _left_out(verdict, outcome)]
    return list(dict.fromkeys((*found, *(each for each in outcome.findings if each.code == CUT_OFF))))


def _left_out(verdict: Verdict, outcome: Outcome) -> list[Finding]:
    """What stayed without an annotation in the function that failed, and why; or what may have changed an answer."""
    failure = verdict.failure
    if catalogue.entry(messages.code_of(verdict)).needs_other_code:
        return []
    if failure and not failure.place.file:
        return [each for each in outcome.findings if each.code in CHANGE_ANSWERS]
    function = enclosing(failure, outcome) if failure else ""
    slots = [(each, each.slot.owner) for each in outcome.findings if each.slot]
    return [each for each, owner in slots if failure and bears_on(owner, failure.place.file, function)]


def involved_lines(outcome: Outcome) -> Iterator[Text]:
    """The annotations in the functions that failed, with their evidence."""
    failures = [verdict.failure for verdict in first_failures(outcome.verdicts) if verdict.failure]
    for file, function in dict.fromkeys((failure.place.file, enclosing(failure, outcome)) for failure in failures):
        involved = [each for each in outcome.annotations if bears_on(each.slot.owner, file, function)]
        if involved:
            yield Text(f"pdt-annotate would write in {involved[0].slot.owner.qualname}:")
        for each in involved:
            yield Text.assemble("  ", (declared(each), "green"), (f"   {evidence(each)}", "dim"))


def said_lines(verdict: Verdict) -> Iterator[Text]:
    """What a judge said no with, in full."""
    if verdict.failure:
        yield Text(f"{verdict.failure.kind or 'the judge'} said:")
        said = verdict.failure.text or verdict.failure.message
        yield from (Text(f"  {line}", no_wrap=True) for line in said.strip().splitlines())


def annotated_lines(file: str, outcome: Outcome) -> list[str]:
    """The lines of the annotated source, or of the file on disk where nothing was added to it."""
    after = next((change.after for change in outcome.all_changes if change.file == file), None)
    return [line.rstrip("\n") for line in linecache.getlines(file)] if after is None else decode(after).lines


def enclosing(failure: Failure, outcome: Outcome) -> str:
    """The qualified name of the function in which a failure lies, "" where that cannot be told."""
    try:
        tree = ast.parse("\n".join(annotated_lines(failure.place.file, outcome)))
    except SyntaxError:
        return ""
    name, line = "", failure.place.line
    inner: ast.AST | None = tree
    while inner is not None:
        inner = next((node for node in ast.walk(inner) if node is not inner and _holds(node, line)), None)
        name = f"{name}.{inner.name}" if isinstance(inner, survey.Scope) else name
    return name.lstrip(".")


def _holds(node: ast.AST, line: int) -> bool:
    return isinstance(node, survey.Scope) and survey.first_line(node) <= line <= (node.end_lineno or node.lineno)


def bears_on(owner: Owner, file: str, function: str) -> bool:
    """Whether annotations of the owner stand in the function; those of an attribute stand in its class."""
    return owner.file == file and bool(function) and f"{function}.".startswith(f"{owner.qualname}.")
