"""What came of a run that failed: the verdict in one line, then the few places that are to blame and what to do."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from rich.text import Text

from pdt_annotate.emit.messages import CHANGE_ANSWERS, Message, Messages, messages_here
from pdt_annotate.emit.module_tree import SAID, in_the_way
from pdt_annotate.emit.terminal.annotations import advised_lines
from pdt_annotate.emit.terminal.messages import blame_lines, message_lines
from pdt_annotate.emit.words import declared, evidence, first_failures
from pdt_annotate.findings import catalogue
from pdt_annotate.findings import messages as compiler_messages
from pdt_annotate.findings.remedies import advice
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source import survey
from pdt_annotate.source.text import decode
from pdt_annotate.values.judges import HELD_BACK, judge_of
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Finding, Owner
from pdt_annotate.values.verdicts import Answers, Failure, Verdict

CUT_OFF = "PDT091"

MESSAGE_WIDTH = 100
"""Columns of a line of code in the text of an error."""


def failed_lines(messages: Messages, width: int, *, in_full: bool = False) -> Iterator[Text]:
    """The verdict, and who is to blame."""
    outcome = messages.outcome
    yield from _verdict_lines(outcome)
    yield from blame_lines(to_blame(messages), width, in_full=in_full, hints=in_full or not outcome.advised)
    if any(part.hidden for blame in outcome.blame for part in blame.parts):
        yield Text("more faults may stand behind these", style="dim")


def _verdict_lines(outcome: Outcome) -> Iterator[Text]:
    """Of each target that failed what came of it, and where."""
    failed = list(dict.fromkeys(verdict.judge for verdict in outcome.verdicts if not verdict.ok))
    for blame in outcome.blame:
        why = in_the_way(blame)
        yield Text(
            f"{blame.target.text} {_no(blame.parts[0].answers, failed)}{f': {why}' if why else ''}", style="bold red"
        )
    if not outcome.blame:
        names = ", ".join(target.text for target in outcome.targets) or "the result"
        means = judge_of(failed[0]).means if failed else None
        named = f"fails verification: {', '.join(failed)}" if failed else "is not verified"
        yield Text(f"{names} {_no(means, failed[:1]) if means else named}", style="bold red")


def _no(answers: Answers, failed: list[str]) -> str:
    """What came of a target, where these judges said no."""
    is_held_back = failed == [HELD_BACK] and answers is Answers.DIFFER
    return f"{SAID[answers]} on a call that is held back" if is_held_back else SAID[answers]


def to_blame(messages: Messages) -> list[tuple[Message, str, str]]:
    """The faults of parts, the one that the compiler met first before the others; else what judges said no to.

    Returns:
        each with its line of code, and what it is about.
    """
    outcome, verdicts = messages.outcome, messages.verdicts()
    met = {each.failure.place.whole_line for each in verdicts if each.failure}
    faults = sorted(messages.faults(), key=lambda each: not each.failure or each.failure.place.whole_line not in met)
    return [
        (each, messages.moved.line(each.place), _about(each))
        for each in faults or (_with_function(verdict, outcome) for verdict in verdicts)
    ]


def _with_function(verdict: Message, outcome: Outcome) -> Message:
    """What a judge said, with the function in which that is, and what to do."""
    failure = verdict.failure or Failure(verdict.headline)
    return replace(verdict, function=enclosing(failure, outcome), advice=(advice(verdict.code, failure),))


def _about(message: Message) -> str:
    """ "in Net.forward, of layers.0 to layers.2, on the example call masked"."""
    inside = f"in {message.function}" if message.function else ""
    of = ", of ".join(filter(None, (inside, message.parts)))
    call = f"on the example call {message.failure.call}" if message.failure and message.failure.call else ""
    return ", ".join(filter(None, (of, call)))


def bearing(messages: Messages) -> list[Message]:
    """The findings that may be why a run failed."""
    outcome = messages.outcome
    found = [each for verdict in first_failures(outcome.verdicts) for each in _left_out(verdict, outcome)]
    cut_off = (each for each in outcome.findings if each.code == CUT_OFF)
    return messages.unsaid(dict.fromkeys((*found, *cut_off)))


def _left_out(verdict: Verdict, outcome: Outcome) -> list[Finding]:
    """What stayed without an annotation in the function that failed, and why; or what may have changed an answer."""
    failure = verdict.failure
    if catalogue.entry(compiler_messages.code_of(verdict)).needs_other_code:
        return []
    if failure and not failure.place.file:
        return [each for each in outcome.findings if each.code in CHANGE_ANSWERS]
    function = enclosing(failure, outcome) if failure else ""
    slots = [(each, each.slot.owner) for each in outcome.findings if each.slot]
    return [each for each, owner in slots if failure and _bears_on(owner, failure.place.file, function)]


def involved_lines(outcome: Outcome) -> Iterator[Text]:
    """The annotations in the functions that failed, with their evidence."""
    failures = [verdict.failure for verdict in first_failures(outcome.verdicts) if verdict.failure]
    for file, function in dict.fromkeys((failure.place.file, enclosing(failure, outcome)) for failure in failures):
        involved = [each for each in outcome.annotations if _bears_on(each.slot.owner, file, function)]
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


def describe(outcome: Outcome) -> str:
    """Why verification failed, as plain text: who is to blame, with the annotations that bear on it, and what to do."""
    messages = messages_here(outcome, WriteBack.DIFF)
    lines = chain(
        failed_lines(messages, MESSAGE_WIDTH, in_full=True),
        message_lines(bearing(messages)),
        involved_lines(outcome),
        advised_lines(outcome.advised) if outcome.advised else (),
    )
    return "\n".join(line.plain for line in lines)


def _annotated_lines(file: str, outcome: Outcome) -> list[str]:
    """The lines of the annotated source, or of the file on disk where nothing was added to it."""
    after = next((change.after for change in outcome.all_changes if change.file == file), None)
    return [line.rstrip("\n") for line in linecache.getlines(file)] if after is None else decode(after).lines


def enclosing(failure: Failure, outcome: Outcome) -> str:
    """The qualified name of the function in which a failure lies, "" where that cannot be told."""
    try:
        tree = ast.parse("\n".join(_annotated_lines(failure.place.file, outcome)))
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


def _bears_on(owner: Owner, file: str, function: str) -> bool:
    """Whether annotations of the owner are in the function; those of an attribute are in its class."""
    return owner.file == file and bool(function) and f"{function}.".startswith(f"{owner.qualname}.")
