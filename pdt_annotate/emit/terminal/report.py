"""What a person sees: an Outcome in words, on stderr, so that stdout holds a diff or JSON and nothing else."""

from __future__ import annotations

import ast
import contextlib
import io
import linecache
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TextIO

from rich.console import Console
from rich.status import Status
from rich.table import Table
from rich.text import Text

from pdt_annotate.emit.capture_rows import as_version
from pdt_annotate.emit.mends import by_message, promise, reason, standing
from pdt_annotate.emit.module_tree import group_kept
from pdt_annotate.emit.streams import wants_color
from pdt_annotate.emit.terminal.parts_tree import render_tree
from pdt_annotate.emit.terminal.timing_table import timing_table
from pdt_annotate.emit.words import (
    evidence,
    first_failures,
    first_line,
    judgement,
    plural,
    shown,
    sightings,
    slot_name,
    spelled,
)
from pdt_annotate.findings import catalogue, messages
from pdt_annotate.findings.remedies import advice
from pdt_annotate.settings.options import Options
from pdt_annotate.source import survey
from pdt_annotate.source.places import Places
from pdt_annotate.source.text import decode
from pdt_annotate.values.captures import Captures
from pdt_annotate.values.mends import Mend
from pdt_annotate.values.outcome import MendAdvice, Outcome, Outdated
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Finding, Owner
from pdt_annotate.values.verdicts import Failure, Part, Verdict

CUT_OFF = "PDT091"
CHANGE_ANSWERS = ("PDT032", "PDT042", "PDT064")
PIPE_WIDTH = 120
"""Columns where stderr is no terminal and COLUMNS does not say."""


@dataclass
class Report:
    """Prints what a run found, as loudly as the options ask for."""

    options: Options
    console: Console = field(init=False)
    _status: Status | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.console = make_console(self.options)

    @contextlib.contextmanager
    def progress(self) -> Iterator[Callable[[str], None]]:
        """A function to be told what is going on: a spinner on a terminal, nothing elsewhere."""
        if self.options.verbosity < 0 or not sys.stderr.isatty():
            yield lambda text: None
            return
        with self.console.status("starting") as status:
            self._status = status
            yield lambda text: status.update(Text(text))

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """No spinner, while the terminal is somebody else's."""
        if self._status:
            self._status.stop()
        yield
        if self._status:
            self._status.start()

    def heading(self, name: str) -> None:
        """The head of a block, where a command has several."""
        if self.options.verbosity >= 0:
            self._lines([Text(f"== {name}", style="bold")])

    def outcome(self, outcome: Outcome) -> None:
        """The annotations, mends and findings, and why verification failed if it did, with who is at fault."""
        if self.options.verbosity >= 0:
            places = Places(outcome.all_changes)
            if self.options.explain:
                self._lines(line for each in outcome.annotations for line in explain(each, places.of_slot(each.slot)))
            elif outcome.annotations:
                self.console.print(summary(outcome.annotations, places))
            self._lines(mend_lines(outcome.mends, in_full=self.options.explain or self.options.verbosity > 0))
            self._lines(finding_lines(beside_tree(outcome)))
        if self.options.verbosity > 0:
            self._lines(verdict_lines(outcome.verdicts))
        # The tree says it all, but for the compiler's own words in full.
        if not outcome.blame or self.options.verbosity > 0:
            for verdict in first_failures(outcome.verdicts):
                self._lines(failure_lines(verdict, outcome, in_full=self.options.verbosity > 0))
        for blame in outcome.blame:
            self.console.print(render_tree(blame, self.console.encoding))
        self._lines(kept_lines(outcome.kept))

    def finished(self, findings: Sequence[Finding], done: str) -> None:
        """What was found where nothing was annotated, and the last line."""
        if self.options.verbosity >= 0:
            self._lines(list(finding_lines(findings)))
            self._lines([Text(done, style="bold")])

    def advised(self, advised: MendAdvice, command: str) -> None:
        """The mends with which the run would have verified, and how to ask for them."""
        self._lines(advised_lines(advised))
        self._lines([Text(f"  → {command}", style="dim")])

    def outdated(self, outdated: Outdated) -> None:
        """What a profile does not know, and how to make it anew."""
        self._lines(outdated_lines(outdated))

    def unmet(self, found: Sequence[Captures]) -> None:
        """What was required of ways of capturing, and is not so."""
        for captures in found:
            for each in captures.required:
                if not each.met:
                    who = f"{each.way}, required, fails {captures.target.text} {as_version(captures.version)}"
                    self._lines([Text.assemble(("error: ", "bold red"), f"{who}: {each.reason}")])

    def closing(self, done: str, outcome: Outcome) -> None:
        """The last line: what was done, and what the judges said; before it, if asked for, how long everything took."""
        if outcome.timings.stages:
            self.console.print(timing_table(outcome.timings))
        if self.options.verbosity >= 0:
            self._lines([Text(f"{done}; {judgement(outcome)}" if done else judgement(outcome), style="bold")])

    def _lines(self, lines: Iterator[Text] | Sequence[Text]) -> None:
        for line in lines:
            self.console.print(line, soft_wrap=True)


def describe(outcome: Outcome) -> str:
    """Why verification failed, as plain text: what was said, the annotations that bear on it, and who is at fault."""
    out = io.StringIO()
    console = Console(file=out, width=PIPE_WIDTH, markup=False, highlight=False, emoji=False, color_system=None)
    for verdict in first_failures(outcome.verdicts):
        for line in (*failure_lines(verdict, outcome), *finding_lines(left_out(verdict, outcome))):
            console.print(line, soft_wrap=True)
    for line in finding_lines([each for each in outcome.findings if each.code == CUT_OFF]):
        console.print(line, soft_wrap=True)
    for blame in outcome.blame:
        console.print(render_tree(blame, console.encoding))
    for line in advised_lines(outcome.advised) if outcome.advised else ():
        console.print(line, soft_wrap=True)
    return "\n".join(line.rstrip() for line in out.getvalue().rstrip().splitlines())


def left_out(verdict: Verdict, outcome: Outcome) -> list[Finding]:
    """What stayed without an annotation in the function that failed, and why; or what may have changed an answer."""
    failure = verdict.failure
    if failure and not failure.place.file:
        return [each for each in outcome.findings if each.code in CHANGE_ANSWERS]
    function = enclosing(failure, outcome) if failure else ""
    slots = [(each, each.slot.owner) for each in outcome.findings if each.slot]
    return [each for each, owner in slots if failure and bears_on(owner, failure.place.file, function)]


def make_console(options: Options, stream: TextIO | None = None) -> Console:
    """A console on a stream, stderr if none is given. Markup is off: `List[int]` is text, not a style."""
    shown_on = stream or sys.stderr
    colored = wants_color(options.color, shown_on)
    terminal = shown_on.isatty()
    return Console(
        file=stream,
        stderr=stream is None,
        markup=False,
        highlight=False,
        emoji=False,
        color_system=("auto" if terminal else "standard") if colored else None,
        force_terminal=True if colored else None,
        no_color=not colored,
        width=None if terminal or "COLUMNS" in os.environ else PIPE_WIDTH,
    )


def summary(annotations: Sequence[Annotation], places: Places) -> Table:
    """One row for each annotation: place, function, slot, annotation, evidence."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for column in ("place", "function", "slot", "annotation", "evidence"):
        table.add_column(column, overflow="fold")
    for each in annotations:
        where = shown(places.of_slot(each.slot))
        row = (where, each.slot.owner.qualname, slot_name(each.slot), spelled(each), evidence(each))
        table.add_row(*(Text(cell, style=style) for cell, style in zip(row, ("", "", "", "green", "dim"), strict=True)))
    return table


def explain(annotation: Annotation, place: Place) -> Iterator[Text]:
    """The rules and the calls behind one annotation, below its place."""
    slot = annotation.slot
    yield Text(f"{shown(place)} {slot.owner.qualname}", style="bold")
    yield Text(f"  {slot_name(slot)}: {spelled(annotation)}", style="green")
    details = {
        "origin": annotation.origin.value,
        "rules": ", ".join(annotation.rules),
        "also legal": ", ".join(map(str, annotation.alternatives)),
        "because the compiler said": annotation.because.strip(),
    }
    yield from (Text(f"    {name}: {value}") for name, value in details.items() if value)
    yield from (Text(f"    {each}") for each in sightings(annotation))


def mend_lines(mends: Sequence[Mend], *, in_full: bool = False) -> Iterator[Text]:
    """The changes of code below the message that asked for them, each with its place."""
    for message, group in by_message(mends).items():
        said = message if in_full else reason(group[0])
        yield Text.assemble("changes of code", (f", since the compiler said: {said}" if said else "", "dim"))
        for mend in group:
            yield Text.assemble(
                f"  {shown(mend.place)} {mend.owner.qualname}: ",
                (mend.summary, "green"),
                (f"  ({standing(mend)})", "dim"),
            )


def advised_lines(advised: MendAdvice) -> Iterator[Text]:
    """What would have helped."""
    yield Text(f"with `--mend {advised.level.value}` it would script: {promise(advised)}:", style="bold")
    yield from mend_lines(advised.mends)


def outdated_lines(outdated: Outdated) -> Iterator[Text]:
    """How many functions are unknown to a profile, and what to do."""
    lacking = plural(len(outdated.findings), "function")
    yield Text(f"the profile does not know the types of {lacking} without annotations; renew it:", style="bold")
    yield Text(f"  → {outdated.renew}", style="dim")


def beside_tree(outcome: Outcome) -> list[Finding]:
    """The findings but for those that the tree shows as faults."""
    faults = (fault for blame in outcome.blame for part in blame.parts for fault in part.faults)
    shown_there = {(fault.code, fault.failure.place.whole_line) for fault in faults}
    return [each for each in outcome.findings if (each.code, each.place.whole_line) not in shown_there]


def finding_lines(found: Sequence[Finding]) -> Iterator[Text]:
    """The findings, grouped by code, each group with what to do."""
    in_order = sorted(found, key=lambda finding: (finding.code, finding.place))
    for code, group in groupby(in_order, key=lambda finding: finding.code):
        entry = catalogue.entry(code)
        yield Text.assemble((code, "yellow"), " ", (entry.title, "bold"))
        for finding in group:
            where = shown(finding.place)
            yield Text(f"  {where}: {finding.message}" if where else f"  {finding.message}")
        yield Text(f"  → {first_line(entry.advice)}", style="dim")


def verdict_lines(verdicts: Sequence[Verdict]) -> Iterator[Text]:
    """What each judge said."""
    for verdict in verdicts:
        note = f": {verdict.note}" if verdict.note else ""
        yield Text.assemble(("✓ ", "green") if verdict.ok else ("✗ ", "red"), f"{verdict.judge}{note}")


def failure_lines(verdict: Verdict, outcome: Outcome, *, in_full: bool = False) -> Iterator[Text]:
    """Why a judge said no: in plain words, at its place, with the annotations that bear on it, then as it was said."""
    failure = verdict.failure
    yield Text.assemble(("verification failed: ", "bold red"), (verdict.judge, "bold"))
    if failure is None:
        yield Text(f"  {verdict.note}")
        return
    entry = catalogue.entry(messages.code_of(verdict))
    yield Text(f"  {entry.code} {entry.title}: {first_line(entry.meaning)}")
    yield from place_lines(failure, outcome)
    yield from involved_lines(failure, outcome)
    yield Text(f"  → {advice(entry.code, failure)}", style="dim")
    yield Text(f"  {failure.kind or 'the judge'} said:")
    said = failure.text if in_full and failure.text else failure.message
    yield from (Text(f"    {line}") for line in said.strip().splitlines())


def kept_lines(kept: Sequence[Part]) -> Iterator[Text]:
    """The parts that are annotated although the whole failed."""
    if kept:
        yield Text("annotated, since they script and answer alike by themselves:", style="bold")
    for part, paths in group_kept(kept):
        inside = f"  ({paths})" if paths else ""
        yield Text.assemble("  ", (part.name, "green"), f"  {shown(part.place)}{inside}")


def involved_lines(failure: Failure, outcome: Outcome) -> Iterator[Text]:
    """The annotations in the function that failed, with their evidence."""
    function = enclosing(failure, outcome)
    involved = [each for each in outcome.annotations if bears_on(each.slot.owner, failure.place.file, function)]
    if involved:
        yield Text(f"  pdt-annotate would write in {involved[0].slot.owner.qualname}:")
    for each in involved:
        yield Text.assemble(f"    {slot_name(each.slot)}: ", (spelled(each), "green"), (f"   {evidence(each)}", "dim"))


def place_lines(failure: Failure, outcome: Outcome) -> Iterator[Text]:
    """The place of a failure, the line there as the compiler saw it, and how the compiler came there."""
    if failure.place.file:
        function = enclosing(failure, outcome)
        yield Text(f"  at {shown(failure.place)}" + (f" in {function}" if function else ""))
        lines, line = annotated_lines(failure.place.file, outcome), failure.place.line
        if 0 < line <= len(lines):
            yield Text(f"  {line:>5} | {lines[line - 1].rstrip()}")
    for place in failure.chain:
        yield Text(f"    called from {shown(place)}")
    if failure.call:
        yield Text(f"  on the example call {failure.call}")


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
