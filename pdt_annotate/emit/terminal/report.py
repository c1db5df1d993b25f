"""What a person sees: an Outcome in words, on stderr, so that stdout holds a diff or JSON and nothing else."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from rich.console import Console
from rich.status import Status
from rich.text import Text

from pdt_annotate.emit.capture_rows import as_version
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.machine.notices import MENDED, MISSING, missing_of
from pdt_annotate.emit.module_tree import group_kept
from pdt_annotate.emit.terminal.annotations import advised_lines, explain, mend_lines, summary
from pdt_annotate.emit.terminal.console import make_console, print_wrapped
from pdt_annotate.emit.terminal.failure import (
    FilesLeft,
    bearing,
    culprit_lines,
    find_culprits,
    involved_lines,
    said_lines,
    verdict_lines,
)
from pdt_annotate.emit.terminal.findings import finding_lines
from pdt_annotate.emit.terminal.parts_tree import tree_lines
from pdt_annotate.emit.terminal.timing_table import timing_lines
from pdt_annotate.emit.words import SAME, first_failures, is_failed, judgement, plural, shown
from pdt_annotate.settings.options import Options, WriteBack
from pdt_annotate.source.places import Places
from pdt_annotate.values.captures import Captures
from pdt_annotate.values.outcome import MendAdvice, Outcome, Outdated
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Finding, Slot
from pdt_annotate.values.verdicts import Part, Verdict

MESSAGE_WIDTH = 100
"""Columns of a line of code in the text of an error."""


@dataclass
class Report:
    """Prints what a run found, as loudly as the options ask for."""

    options: Options
    console: Console = field(init=False)
    _status: Status | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.console = make_console(self.options)

    @property
    def in_full(self) -> bool:
        """Whether all is shown."""
        return self.options.verbosity > 0

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
            self.show([Text(f"== {name}", style="bold")])

    def outcome(self, outcome: Outcome, command: str = "") -> None:
        """What was found; of a run that failed, the verdict first, who is to blame, and what to do.

        Args:
            command: what asks for the mends that would have helped, as it is typed.
        """
        files = FilesLeft(outcome, self.options.write_back)
        if is_failed(outcome):
            self.show(failed_lines(outcome, files, self.console.width, in_full=self.in_full))
            self.show(() if self.in_full else bearing_lines(outcome, files))
            if outcome.advised:
                self.advised(outcome.advised, command)
        elif self.options.verbosity >= 0:
            lacking = missing(outcome) if self.options.write_back is WriteBack.CHECK else []
            self.show(finding_lines([*lacking, *moved(outcome.findings, files)], in_full=self.in_full))
        is_asked_for = self.in_full or self.options.explain or not is_failed(outcome)
        if self.options.verbosity >= 0 and is_asked_for:
            self._annotations(outcome, files)
        if self.in_full:
            self._judges(outcome, files)
        self.show(kept_lines(outcome.kept))

    def _annotations(self, outcome: Outcome, files: FilesLeft) -> None:
        """The annotations and mends; of a check, which has told what is missing, only where all is asked for."""
        in_full = self.in_full
        places = Places(outcome.all_changes)

        def place_of(slot: Slot) -> Place:
            return files.moved.found(places.of_slot(slot))

        if self.options.explain:
            self.show(line for each in outcome.annotations for line in explain(each, place_of(each.slot)))
        elif self.options.write_back is WriteBack.CHECK and not in_full:
            return
        elif outcome.annotations:
            self.show(summary(outcome.annotations, place_of, self.console.width, in_full=in_full))
        self.show(mend_lines(outcome.mends, in_full=self.options.explain or in_full))

    def _judges(self, outcome: Outcome, files: FilesLeft) -> None:
        """What else there is, where all is asked for."""
        if is_failed(outcome):
            self.show(finding_lines(moved(beside_faults(outcome), files), in_full=True))
        for blame in outcome.blame:
            self.show(tree_lines(blame, self.console.encoding, self.width))
        self.show(judge_lines(outcome.verdicts))
        for verdict in first_failures(outcome.verdicts):
            self.show(said_lines(verdict))

    def finished(self, findings: Sequence[Finding], done: str) -> None:
        """What was found where nothing was annotated, and the last line."""
        if self.options.verbosity >= 0:
            self.show(finding_lines(findings, in_full=self.in_full))
            self.show([Text(done, style="bold")])

    def advised(self, advised: MendAdvice, command: str) -> None:
        """The mends with which the run would have verified, and how to ask for them."""
        self.show(advised_lines(advised, in_full=self.in_full))
        if command:
            self.show([Text(f"  → {command}", style="dim", no_wrap=True)])

    def outdated(self, outdated: Outdated) -> None:
        """What a profile does not know, and how to make it anew."""
        lacking = plural(len(outdated.findings), "function")
        said = f"the profile does not know the types of {lacking} without annotations; renew it ({SAME}):"
        self.show([Text(said, style="bold"), Text(f"  → {outdated.renew}", style="dim", no_wrap=True)])

    def unmet(self, found: Sequence[Captures]) -> None:
        """What was required of ways of capturing, and is not so."""
        for captures in found:
            for each in captures.required:
                if not each.met:
                    who = f"{each.way}, required, fails {captures.target.text} {as_version(captures.version)}"
                    self.show([Text.assemble(("error: ", "bold red"), f"{who}: {each.reason}")])

    def closing(self, done: str, outcome: Outcome) -> None:
        """The last line: what was done, and what the judges said; before it, if asked for, how long everything took."""
        if outcome.timings.stages:
            self.show(timing_lines(outcome.timings))
        if self.options.verbosity >= 0:
            said = judgement(outcome) if not is_failed(outcome) else "" if self.in_full else behind(outcome)
            self.show([Text(each, style="bold") for each in ["; ".join(filter(None, (done, said)))] if each])

    @property
    def width(self) -> int:
        """Columns that a line may take; in a pipe there is no bound."""
        return self.console.width if self.console.file.isatty() else sys.maxsize

    def show(self, lines: Iterable[Text], end: str = "\n") -> None:
        """Print lines."""
        print_wrapped(self.console, lines, end)


def moved(findings: Sequence[Finding], files: FilesLeft) -> list[Finding]:
    """The findings at their places in the files as they are left."""
    return [replace(each, place=files.moved.found(each.place)) for each in findings]


def beside_faults(outcome: Outcome) -> list[Finding]:
    """The findings but for those that are shown as faults."""
    faults = (fault for blame in outcome.blame for part in blame.parts for fault in part.faults)
    shown_there = {(fault.code, fault.failure.place.whole_line) for fault in faults}
    return [each for each in outcome.findings if (each.code, each.place.whole_line) not in shown_there]


def missing(outcome: Outcome) -> list[Finding]:
    """What a check found missing, function by function."""
    lacking = []
    for each in missing_of(outcome, Invocation(outcome.root, WriteBack.CHECK)):
        place = Place(each.file, each.span.line, each.span.column)
        if each.annotations or not each.mends:
            what = f"{each.owner} lacks {each.shown}" if each.owner else "annotations are missing"
            lacking.append(Finding(MISSING, what, place))
        lacking += [Finding(MENDED, f"{mend.owner.qualname}: {mend.summary}", mend.place) for mend in each.mends]
    return lacking


def failed_lines(outcome: Outcome, files: FilesLeft, width: int, *, in_full: bool = False) -> Iterator[Text]:
    """The verdict, and who is to blame."""
    yield from verdict_lines(outcome)
    culprits = find_culprits(outcome, files)
    yield from culprit_lines(culprits, width, in_full=in_full, hints=in_full or not outcome.advised)
    if any(part.hidden for blame in outcome.blame for part in blame.parts):
        yield Text("more faults may stand behind these", style="dim")


def bearing_lines(outcome: Outcome, files: FilesLeft) -> Iterator[Text]:
    """The findings that may be why it failed."""
    beside = beside_faults(outcome)
    return finding_lines(moved([each for each in bearing(outcome) if each in beside], files))


def behind(outcome: Outcome) -> str:
    """What there is on `-v`: "-v shows the module tree, 34 annotations, 5 findings and what each judge said"."""
    found = {"annotation": outcome.annotations, "mend": outcome.mends, "finding": beside_faults(outcome)}
    there = [plural(len(each), noun) for noun, each in found.items() if each]
    tree = ["the module tree"] if any(len(blame.parts) > 1 for blame in outcome.blame) else []
    *most, last = *tree, *there, "what each judge said"
    return f"-v shows {', '.join(most)} and {last}" if most else f"-v shows {last}"


def describe(outcome: Outcome) -> str:
    """Why verification failed, as plain text: who is to blame, with the annotations that bear on it, and what to do."""
    files = FilesLeft(outcome, WriteBack.DIFF)
    lines = chain(
        failed_lines(outcome, files, MESSAGE_WIDTH, in_full=True),
        bearing_lines(outcome, files),
        involved_lines(outcome),
        advised_lines(outcome.advised) if outcome.advised else (),
    )
    return "\n".join(line.plain for line in lines)


def judge_lines(verdicts: Sequence[Verdict]) -> Iterator[Text]:
    """What each judge said."""
    for verdict in verdicts:
        note = f": {verdict.note}" if verdict.note else ""
        yield Text.assemble(("✓ ", "green") if verdict.ok else ("✗ ", "red"), f"{verdict.judge}{note}")


def kept_lines(kept: Sequence[Part]) -> Iterator[Text]:
    """The parts that are annotated although the whole failed."""
    if kept:
        yield Text("annotated, since they script and answer alike by themselves:", style="bold")
    for part, paths in group_kept(kept):
        inside = f"  ({paths})" if paths else ""
        yield Text.assemble("  ", (part.name, "green"), f"  {shown(part.place)}{inside}")
