"""The person at the terminal, asked about one function after the other, on stderr, where the report goes too."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text

from pdt_annotate.cli.interactive import editable
from pdt_annotate.emit.files.diff import unified
from pdt_annotate.emit.terminal.report import Report, explain, failure_lines, mend_lines
from pdt_annotate.emit.words import first_failures, shown
from pdt_annotate.flows.choice import FoundPlan, Taken
from pdt_annotate.source.places import Places
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Outcome, Rendered
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Owner
from pdt_annotate.values.verdicts import Trial

Share = tuple[Annotation, ...]


class Key(enum.Enum):
    """The keys that answer."""

    YES = "y"
    NO = "n"
    EDIT = "e"
    ALL = "a"
    BACK = "b"
    QUIT = "q"
    HELP = "?"


SHARE_KEYS: Mapping[Key, str] = {
    Key.YES: "take these annotations",
    Key.NO: "leave them out",
    Key.EDIT: "edit them in $VISUAL or $EDITOR, and take what comes of it",
    Key.ALL: "take these and all that follow",
    Key.QUIT: "leave out these and all that follow; what was taken stays taken",
    Key.HELP: "show this help",
}

MEND_KEYS: Mapping[Key, str] = {
    Key.YES: "take all of them, and go on to the annotations",
    Key.NO: "leave the code as it is; nothing verifies then, and nothing is written",
    Key.HELP: "show this help",
}

FAILED_KEYS: Mapping[Key, str] = {
    Key.BACK: "go back to what was left out or edited",
    Key.ALL: "take everything as it was found",
    Key.QUIT: "stop here; nothing is written",
    Key.HELP: "show this help",
}

IN_THE_END = "\nWhat is taken is verified as a whole before anything is written. Ctrl-C stops without writing."

STYLES = (("@@", "cyan"), ("-", "red"), ("+", "green"))
"""By the beginning of a line of a hunk."""


LEFT_OUT = Text("nothing is left of it: left out", style="dim")


@dataclass(frozen=True)
class Terminal:
    """Asks a person.

    Args:
        report: whose console shows the questions.
        root: where the paths of outcomes begin.
        read_key: one key that is pressed, after the question is shown by what it is given. Raises KeyboardInterrupt
            where there will be none any more.
        edit: a text, as a person edited it. Raises UserError where nothing was saved.
    """

    report: Report
    root: str
    read_key: Callable[[Callable[[], None]], str]
    edit: Callable[[str], str]

    def accept(self, found: FoundPlan) -> bool:
        with self.report.paused():
            self._show([Text("\nAnnotations are not enough: these changes of code are needed, too.", style="bold")])
            self._show(mend_lines(found.mends))
            for change in found.mending:
                self._show(mended_lines(change))
            return self._press("Change the code like this?", MEND_KEYS) is Key.YES

    def choose(self, found: FoundPlan) -> Taken:
        with self.report.paused():
            return self._ask(found, {}, list(found.shares))

    def choose_again(self, found: FoundPlan, taken: Taken, rendered: Rendered, trial: Trial) -> Taken | None:
        with self.report.paused():
            self._show_failure(rendered, trial)
            key = self._press("It cannot be written like this. What now?", FAILED_KEYS)
            if key is Key.QUIT:
                return None
            if key is Key.ALL:
                return found.shares
            kept = {owner: share for owner, share in found.shares.items() if taken.get(owner) == share}
            return self._ask(found, kept, [owner for owner in found.shares if owner not in kept])

    def _ask(self, found: FoundPlan, taken: Taken, owners: Sequence[Owner]) -> Taken:
        """What is taken, with the answers for these owners."""
        answers = dict(taken)
        for number, owner in enumerate(owners, 1):
            key, share = self._ask_one(found, answers, owner, f"({number} of {len(owners)})")
            if key is Key.QUIT:
                break
            if key is Key.ALL:
                return answers | {each: found.shares[each] for each in owners[number - 1 :]}
            answers[owner] = share
        return answers

    def _ask_one(self, found: FoundPlan, taken: Taken, owner: Owner, count: str) -> tuple[Key, Share]:
        share = found.shares[owner]
        self._show(share_lines(found.preview(taken, owner, share), owner, share, count))
        text = editable.write_editable(share)
        while True:
            key = self._press(f"Annotate {owner.qualname} like this?", SHARE_KEYS)
            if key is not Key.EDIT:
                return key, () if key is Key.NO else share
            try:
                text = self.edit(text)
                edited = editable.read_editable(text, share, found.classes)
            except UserError as error:
                self._show([Text(error.message, style="red"), Text(f"  {error.hint}", style="dim")])
            else:
                self._show(hunk_lines(found.preview(taken, owner, edited)) if edited else [LEFT_OUT])
                return key, edited

    def _press(self, question: str, keys: Mapping[Key, str]) -> Key:
        """One of the keys. Any other one, and the question mark, show what there is."""
        known = {key.value: key for key in keys}
        while True:
            pressed = self._next_key(Text(f"{question} [{','.join(known)}] ", style="bold"))
            self._show([Text(pressed if pressed.isprintable() else "")])
            key = known.get(pressed, Key.HELP)
            if key is not Key.HELP:
                return key
            self._show(Text(f"  {key.value}  {meaning}") for key, meaning in keys.items())
            self._show([Text(IN_THE_END)] if keys is not FAILED_KEYS else [])

    def _next_key(self, question: Text) -> str:
        """A key in lower case. Enter is passed over: many press it behind their answer."""
        pressed = self.read_key(lambda: self._show([question], end=""))
        while not pressed.strip():
            pressed = self.read_key(lambda: None)
        return pressed.lower()

    def _show_failure(self, rendered: Rendered, trial: Trial) -> None:
        judged = Outcome((), self.root, rendered.changes, rendered.written, verdicts=trial.verdicts)
        self._show([Text("\nWhat you chose does not verify.", style="bold red")])
        for verdict in first_failures(trial.verdicts):
            self._show(failure_lines(verdict, judged))

    def _show(self, lines: Iterator[Text] | Sequence[Text], end: str = "\n") -> None:
        for line in lines:
            self.report.console.print(line, soft_wrap=True, end=end)


def share_lines(change: FileChange, owner: Owner, share: Share, count: str) -> Iterator[Text]:
    """A function or class, the hunks that annotate it, and what speaks for each annotation."""
    place = Places([change]).of(owner)
    yield Text.assemble("\n", (shown(place), "bold"), f" {owner.qualname} ", (count, "dim"))
    yield from hunk_lines(change)
    for annotation in share:
        _, *why = explain(annotation, place)  # the place is above
        yield from why


def mended_lines(change: FileChange) -> Iterator[Text]:
    """A file, and the hunks that mend it."""
    yield Text.assemble("\n", (shown(Place(change.file)), "bold"))
    yield from hunk_lines(change)


def hunk_lines(change: FileChange) -> Iterator[Text]:
    """The hunks of a file's diff, without the names of the file."""
    diff = unified(change, change.file).decode("utf-8", "replace")
    for line in diff.removesuffix("\n").split("\n")[2:]:
        yield Text(line, style=next((style for start, style in STYLES if line.startswith(start)), ""))
