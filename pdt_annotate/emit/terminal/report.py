"""The report for people: an Outcome in words, on stderr, so that stdout has only a diff or JSON."""

import contextlib
import io
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TextIO

from rich.status import Status
from rich.text import Text

from pdt_annotate.emit import check
from pdt_annotate.emit.capture_rows import as_version
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.messages import Messages, message_of, messages_here
from pdt_annotate.emit.terminal.console import UNBOUNDED, make_console, print_wrapped
from pdt_annotate.emit.terminal.failure import bearing, failed_lines, tree_lines
from pdt_annotate.emit.terminal.message_lines import (
    advised_lines,
    explain,
    mend_lines,
    message_lines,
    saved_lines,
    summary,
)
from pdt_annotate.emit.words import SAME, first_failures, group_kept, is_failed, judgement, plural, shown
from pdt_annotate.settings.options import Color, Options, WriteBack
from pdt_annotate.source.moves import Places
from pdt_annotate.values.capture_results import Captures, SavedModel
from pdt_annotate.values.outcome import Outcome, Outdated
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.values.slots import Finding


class TerminalReporter:
    def __init__(self, options: Options, stream: TextIO | None = None) -> None:
        self.options = options
        self.console = make_console(options, stream)
        self.in_full = options.verbosity > 0
        self._status: Status | None = None

    @contextlib.contextmanager
    def progress(self) -> Iterator[Callable[[str], None]]:
        """A function that shows progress: as a spinner on a terminal, elsewhere not at all."""
        if self.options.verbosity < 0 or not sys.stderr.isatty():
            yield lambda text: None
            return
        with self.console.status("starting") as status:
            self._status = status
            yield lambda text: status.update(Text(text))

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        if self._status:
            self._status.stop()
        yield
        if self._status:
            self._status.start()

    def heading(self, name: str) -> None:
        if self.options.verbosity >= 0:
            self.show([Text(f"== {name}", style="bold")])

    def outcome(self, outcome: Outcome, command: str = "") -> None:
        """Report an outcome, a failed run's verdict first. `command` is one whose mends would have helped."""
        messages = messages_here(outcome, self.options.write_back)
        failed, is_check = is_failed(outcome), self.options.write_back.fails_on_missing
        if failed:
            self.show(failed_lines(messages, self.console.width, in_full=self.in_full))
            self.show(() if self.in_full else message_lines(bearing(messages)))
            self.show(advised_lines(outcome, in_full=self.in_full))
            if command and outcome.is_helped:
                self.show([Text(f"  → {command}", style="dim", no_wrap=True)])
        elif self.options.verbosity >= 0:
            lacking = messages.lacking() if is_check else ()
            missing = (message for each in lacking for message in messages.of_missing(each))
            self.show(message_lines([*missing, *messages.unsaid(outcome.findings)], in_full=self.in_full))
        if self.options.verbosity >= 0 and (self.in_full or self.options.explain or not failed):
            self._annotations(messages)
        if self.in_full:
            if failed:
                self.show(message_lines(messages.unsaid(outcome.findings), in_full=True))
            for blame in outcome.blame:
                self.show(tree_lines(blame, self.console.encoding, self.width))
            for verdict in outcome.verdicts:
                note = f": {verdict.note}" if verdict.note else ""
                mark = ("✓ ", "green") if verdict.ok else ("✗ ", "red")
                self.show([Text.assemble(mark, f"{verdict.judge}{note}")])
            for failure in (verdict.failure for verdict in first_failures(outcome.verdicts) if verdict.failure):
                said = (failure.text or failure.message).strip().splitlines()
                self.show([Text(f"message of {failure.kind or 'the check'}:")])
                self.show(Text(f"  {line}", no_wrap=True) for line in said)
        if outcome.kept:
            head = "annotated these parts, because each part scripts and returns the same results:"
            self.show([Text(head, style="bold")])
        for part, paths in group_kept(outcome.kept):
            inside = f"  ({paths})" if paths else ""
            self.show([Text.assemble("  ", (part.name, "green"), f"  {shown(part.place)}{inside}")])

    def _annotations(self, messages: Messages) -> None:
        """Show the annotations and mends; a check has shown the missing ones, so it shows them only in full."""
        outcome, in_full = messages.outcome, self.in_full
        found = Places(outcome.all_changes)
        places = {each.slot: messages.moved.found(found.of_slot(each.slot)) for each in outcome.annotations}
        if self.options.explain:
            self.show(line for each in outcome.annotations for line in explain(each, places[each.slot]))
        elif self.options.write_back.fails_on_missing and not in_full:
            return
        elif outcome.annotations:
            self.show(summary(outcome.annotations, places, self.console.width, in_full=in_full))
        self.show(mend_lines(outcome.mends, in_full=self.options.explain or in_full))

    def finished(self, findings: Sequence[Finding], done: str) -> None:
        if self.options.verbosity >= 0:
            self.show(message_lines(list(map(message_of, findings)), in_full=self.in_full))
            self.show([Text(done, style="bold")])

    def saved(self, saved: SavedModel, done: str) -> None:
        """Report a saved file, with the work `done` on it, or why there is none."""
        if self.options.verbosity >= 0 or not saved.file:
            self.show(saved_lines(saved, done, in_full=self.in_full))

    def outdated(self, outdated: Outdated) -> None:
        lacking = plural(len(outdated.findings), "function")
        said = f"the profile has no types for {lacking} without annotations; renew the profile ({SAME}):"
        self.show([Text(said, style="bold"), Text(f"  → {outdated.renew}", style="dim", no_wrap=True)])

    def unmet(self, found: Sequence[Captures]) -> None:
        for captures in found:
            for each in captures.required:
                if not each.met:
                    who = f"the required way {each.way} fails for {captures.target.text} {as_version(captures.version)}"
                    self.show([Text.assemble(("error: ", "bold red"), f"{who}: {each.reason}")])

    def closing(self, done: str, outcome: Outcome) -> None:
        """The last line: the work done, and the verdicts; before it, if asked for, how long everything took."""
        if outcome.timings.stages:
            rows = [("stage", "seconds", "dim")]
            rows += ((each.name, f"{each.seconds:.2f}", "") for each in outcome.timings.stages)
            for task in outcome.timings.tasks:
                name = f"  requests to other processes: {task.name} ({task.times})"
                rows.append((name, f"{task.seconds:.2f}", "dim"))
            width = max(len(name) for name, *_ in rows)
            self.show(Text(f"{name:<{width}}  {seconds:>7}", style) for name, seconds, style in rows)
        if self.options.verbosity >= 0:
            said = "" if is_failed(outcome) else judgement(outcome)
            if is_failed(outcome) and not self.in_full:
                # "-v shows the module tree, 34 annotations, 5 findings and the result of each check"
                findings = messages_here(outcome, WriteBack.DIFF).unsaid(outcome.findings)
                found = {"annotation": outcome.annotations, "mend": outcome.mends, "finding": findings}
                there = [plural(len(each), noun) for noun, each in found.items() if each]
                tree = ["the module tree"] if any(len(blame.parts) > 1 for blame in outcome.blame) else []
                *most, last = *tree, *there, "the result of each check"
                said = f"-v shows {', '.join(most)} and {last}" if most else f"-v shows {last}"
            if done or said:
                self.show([Text("; ".join(filter(None, (done, said))), style="bold")])

    @property
    def width(self) -> int:
        return self.console.width if self.console.file.isatty() else UNBOUNDED

    def show(self, lines: Iterable[Text], end: str = "\n") -> None:
        print_wrapped(self.console, lines, end)


def render(outcome: Outcome, invocation: Invocation) -> bytes:
    """The report without colours, as UTF-8 bytes: for the log of a job, or the summary of a step."""
    options = Options(outcome.targets, SpecSource(), outcome.root, write_back=invocation.write_back, color=Color.NEVER)
    out = io.StringIO()
    report = TerminalReporter(options, out)
    report.outcome(outcome, f"the same command with --mend {outcome.advised.level.value}" if outcome.advised else "")
    is_missing = outcome.changes and outcome.is_sound and invocation.write_back.fails_on_missing
    report.closing(check(outcome, options, io.BytesIO()) if is_missing else "", outcome)
    return out.getvalue().encode("utf-8", "backslashreplace")
