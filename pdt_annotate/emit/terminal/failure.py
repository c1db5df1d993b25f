"""The result of a run that failed: the verdict in one line, then the few places to blame and advice."""

import linecache
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from rich.console import Console, ConsoleOptions
from rich.text import Text
from rich.tree import Tree

from pdt_annotate.emit.messages import CHANGE_ANSWERS, Message, Messages, messages_here
from pdt_annotate.emit.terminal.console import UNBOUNDED, laid_out, wrap
from pdt_annotate.emit.terminal.message_lines import advised, advised_lines, blame_lines, message_lines
from pdt_annotate.emit.words import SAID, Node, declared, evidence, first_failures, grow, in_the_way, shown, verdict
from pdt_annotate.findings import catalogue
from pdt_annotate.findings import messages as compiler_messages
from pdt_annotate.findings.messages.said import telling_line
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.module import read_module
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Finding, Owner
from pdt_annotate.values.verdicts import HELD_BACK, Answers, Blame, Failure, judge_of

CUT_OFF = "PDT091"


def failed_lines(messages: Messages, width: int, *, in_full: bool = False) -> Iterator[Text]:
    outcome = messages.outcome
    failed = list(dict.fromkeys(verdict.judge for verdict in outcome.verdicts if not verdict.ok))
    for blame in outcome.blame:
        inside = in_the_way(blame)
        why = f": {inside}" if inside else ""
        yield Text(f"{blame.target.text} {_no(blame.parts[0].answers, failed)}{why}", style="bold red")
    if not outcome.blame:
        names = ", ".join(target.text for target in outcome.targets) or "the result"
        means = judge_of(failed[0]).means if failed else None
        no = ", ".join(judge_of(each).no or each for each in failed)
        named = f"fails verification: {no}" if no else "is not verified"
        yield Text(f"{names} {_no(means, failed[:1]) if means else named}", style="bold red")
    yield from blame_lines(to_blame(messages), width, in_full=in_full, hints=in_full or not outcome.is_helped)
    if any(part.hidden for blame in outcome.blame for part in blame.parts):
        yield Text("these faults may hide others", style="dim")


def _no(answers: Answers, failed: list[str]) -> str:
    is_held_back = failed == [HELD_BACK] and answers is Answers.DIFFER
    return f"{SAID[answers]} on a call that is held back" if is_held_back else SAID[answers]


def to_blame(messages: Messages) -> list[tuple[Message, str, str]]:
    """The faults, the compiler's first, or else the failed verdicts; each with its line of code and its subject."""
    blamed = []
    for each in messages.blamed():
        function = each.function if messages.outcome.blame else enclosing(each.failure or Failure(""), messages.outcome)
        inside = f"in {function}" if function else ""
        of = ", of ".join(filter(None, (inside, each.parts)))
        blamed.append((each, messages.moved.line(each.place), ", ".join(filter(None, (of, each.call)))))
    return blamed


def bearing(messages: Messages) -> list[Message]:
    """The findings that may explain why a run failed."""
    outcome = messages.outcome
    found: list[Finding] = []
    for failed in first_failures(outcome.verdicts):
        failure = failed.failure
        if failure is None or catalogue.entry(compiler_messages.code_of(failed)).needs_other_code:
            continue
        if failure.place.file:  # slots without an annotation in the function that failed
            function = enclosing(failure, outcome)
            slots = ((each, each.slot.owner) for each in outcome.findings if each.slot)
            found += [each for each, owner in slots if _bears_on(owner, failure.place.file, function)]
        else:  # findings that may explain a changed answer
            found += [each for each in outcome.findings if each.code in CHANGE_ANSWERS]
    cut_off = (each for each in outcome.findings if each.code == CUT_OFF)
    return messages.unsaid(dict.fromkeys((*found, *cut_off)))


def involved_lines(outcome: Outcome) -> Iterator[Text]:
    failures = [verdict.failure for verdict in first_failures(outcome.verdicts) if verdict.failure]
    for file, function in dict.fromkeys((failure.place.file, enclosing(failure, outcome)) for failure in failures):
        involved = [each for each in outcome.annotations if _bears_on(each.slot.owner, file, function)]
        if involved:
            yield Text(f"pdt-annotate would write in {involved[0].slot.owner.qualname}:")
        for each in involved:
            yield Text.assemble("  ", (declared(each), "green"), (f"   {evidence(each)}", "dim"))


def describe(outcome: Outcome) -> str:
    """Why verification failed, as plain text: the faults, the annotations that bear on them, and advice."""
    messages = messages_here(outcome, WriteBack.DIFF)
    lines = [*failed_lines(messages, 100, in_full=True), *message_lines(bearing(messages))]
    lines += [*involved_lines(outcome), *advised_lines(outcome)]
    return "\n".join(line.plain for line in lines)


def enclosing(failure: Failure, outcome: Outcome) -> str:
    """The qualified name of the function in the annotated source that contains a failure; "" if not known."""
    file, line = failure.place.file, failure.place.line
    after = next((change.after for change in outcome.all_changes if change.file == file), None)
    try:
        module = read_module(file, "".join(linecache.getlines(file)).encode() if after is None else after)
    except (SyntaxError, ValueError):
        return ""
    return ".".join(each.node.name for each in module.around(line))


def _bears_on(owner: Owner, file: str, function: str) -> bool:
    """Whether annotations of the owner are in the function; those of an attribute are in its class."""
    return owner.file == file and bool(function) and f"{function}.".startswith(f"{owner.qualname}.")


def tree_lines(blame: Blame, encoding: str, width: int = UNBOUNDED) -> Iterator[Text]:
    """One target's parts as a tree; equal neighbours share a node, and no advice is repeated."""
    return laid_out(_tree(grow(blame), blame.target.text, set(), {}), width, encoding)


@dataclass
class _Label:
    lines: list[Text]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        for line in self.lines:
            yield from wrap(line, options.max_width)


def _tree(node: Node, name: str, given: set[str], first: dict[Any, str]) -> Tree:
    """`given` is the advice so far; `first` has the first path with each set of faults."""
    tree = Tree(_Label(list(_label(node, name, given, first))))
    tree.children += [_tree(child, child.name, given, first) for child in node.children]
    return tree


def _label(node: Node, name: str, given: set[str], first: dict[Any, str]) -> Iterator[Text]:
    part, where = node.part, shown(node.part.place)
    kind, at = f"  {part.name}" if part.path else "", f"  {where}" if where else ""
    yield Text.assemble((name, "bold"), (kind, "cyan"), (at, "dim"))
    yield Text.assemble(("✓ ", "green") if part.is_sound else ("✗ ", "red"), verdict(node))
    faults = tuple((fault.code, fault.failure) for fault in part.faults)
    path = first.setdefault((part.name, faults), part.path)
    if part.faults and path != part.path:
        yield Text(f"the same faults as {path}", style="dim")
        return
    for code, group in groupby(part.faults, key=lambda fault: fault.code):
        yield Text.assemble((code, "yellow"), " ", catalogue.entry(code).title)
        for fault in group:
            failure = fault.failure
            place = shown(failure.place) or failure.call
            said = telling_line(failure).replace(os.path.join(os.getcwd(), ""), "")
            yield Text(f"  {place}: {said}" if place else f"  {said}")
            line = linecache.getline(failure.place.file, failure.place.line).strip()
            yield from [Text(f"    {line}", style="italic")] if line else []
            yield from (advised(each) for each in fault.advice if each not in given)
            given.update(fault.advice)
    if part.hidden:
        yield Text("these faults may hide others", style="dim")
