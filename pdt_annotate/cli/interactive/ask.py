"""Asks the person at the terminal about one function after the other, on stderr, like the report."""

import enum
import os
import select
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from math import ceil

import click
from rich.text import Text

from pdt_annotate.cli.interactive import editable
from pdt_annotate.emit.files.diff import unified
from pdt_annotate.emit.messages import messages_here
from pdt_annotate.emit.terminal.console import wrap
from pdt_annotate.emit.terminal.failure import involved_lines, to_blame
from pdt_annotate.emit.terminal.message_lines import blame_lines, explain, mend_lines
from pdt_annotate.emit.terminal.report import TerminalReporter
from pdt_annotate.emit.words import plural, shown
from pdt_annotate.flows.choice import FoundPlan, Taken
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.source.moves import Places
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Outcome, Rendered
from pdt_annotate.values.slots import Annotation, Owner, Place
from pdt_annotate.values.verdicts import Trial

Share = tuple[Annotation, ...]


class Key(enum.Enum):
    YES = "y"
    NO = "n"
    EDIT = "e"
    ALL = "a"
    MORE = "m"
    BACK = "b"
    QUIT = "q"
    HELP = "?"


SHARE_KEYS: Mapping[Key, str] = {
    Key.YES: "accept these annotations",
    Key.NO: "leave out these annotations",
    Key.EDIT: "edit these annotations in $VISUAL or $EDITOR, and accept the result",
    Key.ALL: "accept these and all following annotations",
    Key.MORE: "show all the evidence",
    Key.BACK: "go back to the previous question",
    Key.QUIT: "leave out these and all following annotations; keep the ones already accepted",
    Key.HELP: "show this help",
}
MEND_KEYS: Mapping[Key, str] = {
    Key.YES: "accept all code changes, and continue with the annotations",
    Key.NO: "reject the code changes; the result cannot be verified then, and nothing is written",
    Key.HELP: "show this help",
}
FAILED_KEYS: Mapping[Key, str] = {
    Key.BACK: "go back to the annotations that were left out or edited",
    Key.ALL: "accept everything as proposed",
    Key.QUIT: "stop here; nothing is written",
    Key.HELP: "show this help",
}

IN_THE_END = "\nThe accepted changes are verified together before anything is written. Ctrl-C stops without writing."
LEAST = 3  # the fewest lines of evidence to show, even on a small screen
AROUND = 4  # lines of a question in addition to its hunks and evidence
STYLES = (("@@", "cyan"), ("-", "red"), ("+", "green"))  # by the beginning of a hunk's line


@dataclass(frozen=True)
class Terminal:
    """Asks a person. Paths are shown relative to `root`."""

    report: TerminalReporter
    root: str
    read_key: Callable[[Callable[[], None]], str]
    edit: Callable[[str], str]

    def accept(self, found: FoundPlan) -> bool:
        with self.report.paused():
            said = "\nAnnotations are not enough. The following code changes are needed, too."
            self.report.show([Text(said, style="bold"), *mend_lines(found.mended.mends)])
            for change in found.mending:
                self.report.show([Text(), Text(shown(Place(change.file)), style="bold"), *hunk_lines(change)])
            return self._press("Change the code like this?", MEND_KEYS) is Key.YES

    def choose(self, found: FoundPlan) -> Taken:
        with self.report.paused():
            return self._ask(found, {}, list(found.shares))

    def choose_again(self, found: FoundPlan, taken: Taken, rendered: Rendered, trial: Trial) -> Taken | None:
        with self.report.paused():
            judged = Outcome((), self.root, rendered.changes, rendered.written, verdicts=trial.verdicts)
            messages = messages_here(judged, WriteBack.DIFF)
            self.report.show([Text("\nVerification failed with your choice.", style="bold red")])
            self.report.show(blame_lines(to_blame(messages), self.report.console.width))
            self.report.show(involved_lines(judged))
            key = self._press("These annotations cannot be written. What should be done?", FAILED_KEYS)
            if key is Key.QUIT:
                return None
            if key is Key.ALL:
                return found.shares
            kept = {owner: share for owner, share in found.shares.items() if taken.get(owner) == share}
            return self._ask(found, kept, [owner for owner in found.shares if owner not in kept])

    def _ask(self, found: FoundPlan, taken: Taken, owners: Sequence[Owner]) -> Taken:
        answers, index = dict(taken), 0
        while index < len(owners):
            owner = owners[index]
            answers.pop(owner, None)
            key, share = self._ask_one(found, answers, owner, index, len(owners))
            if key is Key.QUIT:
                break
            if key is Key.ALL:
                return answers | {each: found.shares[each] for each in owners[index:]}
            if key is not Key.BACK:
                answers[owner] = share
            index += -1 if key is Key.BACK else 1
        return answers

    def _ask_one(self, found: FoundPlan, taken: Taken, owner: Owner, index: int, count: int) -> tuple[Key, Share]:
        share = found.shares[owner]
        change = found.preview(taken, owner, share)
        hunks, places = list(hunk_lines(change)), Places([change])
        lines = (explain(annotation, places.of_slot(annotation.slot)) for annotation in share)
        # The first line is the place, which is shown above.
        why = [line for each in lines for text in islice(each, 1, None) for line in text.split("\n")]
        shown_of_why = self._cut(hunks, why)
        place, number = shown(places.of(owner)), f"({index + 1} of {count})"
        self.report.show([Text(), Text.assemble((place, "bold"), f" {owner.qualname} ", (number, "dim"))])
        self.report.show([*hunks, *shown_of_why])
        absent = {*(() if index else (Key.BACK,)), *(() if len(shown_of_why) < len(why) else (Key.MORE,))}
        offered = {key: meaning for key, meaning in SHARE_KEYS.items() if key not in absent}
        text = editable.write_editable(share)
        while True:
            key = self._press(f"Annotate {owner.qualname} like this?", offered)
            if key is Key.MORE:
                self.report.show([*why, *hunks])
                continue
            if key is not Key.EDIT:
                return key, () if key is Key.NO else share
            try:
                text = self.edit(text)
                edited = editable.read_editable(text, share, found.evidence.classes)
            except UserError as error:
                self.report.show([Text(error.message, style="red"), Text(f"  {error.hint}", style="dim")])
            else:
                left_out = Text("no annotation is left, so the function is left out", style="dim")
                self.report.show(hunk_lines(found.preview(taken, owner, edited)) if edited else [left_out])
                return key, edited

    def _cut(self, hunks: Sequence[Text], why: Sequence[Text]) -> Sequence[Text]:
        """Return as much of the evidence as fits on the screen with the hunks, and the number of lines left out."""
        width = self.report.width

        def height(line: Text) -> int:
            return sum(ceil(max(each.cell_len, 1) / width) for each in wrap(line, width))

        room = self.report.console.height - AROUND - sum(map(height, hunks))
        count = max(LEAST, sum(total <= room for total in accumulate(map(height, why))))
        left = len(why) - count
        more = Text(f"  … {plural(left, 'more line')} of evidence: m shows all", style="dim")
        return [*why[:count], more] if left > 1 else why

    def _press(self, question: str, keys: Mapping[Key, str]) -> Key:
        """Return one of the keys. Any other key, and the question mark, shows the choices."""
        known = {key.value: key for key in keys}
        asked = Text(f"{question} [{','.join(known)}] ", style="bold")
        while True:
            pressed = self.read_key(lambda: self.report.show([asked], end="")).lower()
            while not pressed.strip():  # many people press Enter after their answer
                pressed = self.read_key(lambda: None).lower()
            self.report.show([Text(pressed if pressed.isprintable() else "")])
            key = known.get(pressed, Key.HELP)
            if key is not Key.HELP:
                return key
            self.report.show(Text(f"  {key.value}  {meaning}") for key, meaning in keys.items())
            self.report.show([Text(IN_THE_END)] if keys is not FAILED_KEYS else [])


def hunk_lines(change: FileChange) -> Iterator[Text]:
    """Yield the hunks of a file's diff, without the file names."""
    diff = b"".join(unified(change, change.file)).decode("utf-8", "replace")
    for line in diff.removesuffix("\n").split("\n")[2:]:
        yield Text(line, no_wrap=True, style=next((style for start, style in STYLES if line.startswith(start)), ""))


def read_key(ask: Callable[[], None]) -> str:
    """Return the next key, without Enter; the first character of an arrow or a function key, which sends several.

    `ask` shows the question, once keys are no longer echoed, and Ctrl-D is a key. Unlike `click.getchar`, this keeps
    keys that were typed ahead, so answers may be pasted. Ctrl-C, Ctrl-D and a lost terminal raise KeyboardInterrupt.
    """
    try:
        import termios  # noqa: PLC0415
        import tty  # noqa: PLC0415
    except ImportError:  # on Windows
        ask()
        try:
            return click.getchar()
        except EOFError:
            raise KeyboardInterrupt from None
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        ask()
        key = os.read(terminal, 1)
        if key == b"\x1b" and select.select([terminal], [], [], 0)[0]:
            os.read(terminal, 32)  # the rest of a key that sends several characters
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    if key in (b"", b"\x04", b"\0"):  # `\0` is Ctrl-D pressed before the first read
        raise KeyboardInterrupt
    return key.decode("ascii", "replace")


def edit(text: str) -> str:
    """Return the text as saved in $VISUAL or $EDITOR; raise a `UserError` if the editor failed or saved nothing."""
    try:
        edited = click.edit(text, extension=".txt")
    except click.ClickException as error:
        hint = "set VISUAL or EDITOR to the command of an editor that waits until the file is closed"
        raise UserError(error.format_message(), hint=hint) from error
    if edited is None:
        hint = "press e to edit again, or y to accept the proposal"
        raise UserError("the text was not saved, so nothing is changed", hint=hint)
    return edited
