"""`--interactive`: the terminal from which annotations are chosen: its keys, and the editor."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable
from typing import Any

import click

from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError

END = ("", "\x04", "\0")
"""What is read where the terminal is gone, or of Ctrl-D; the last, where that was pressed before keys were read."""

ESCAPE = b"\x1b"
LONGEST_SEQUENCE = 32


def make_chooser(options: Options, report: Any) -> Any:
    """The chooser that the options ask for: a person at this terminal, or None."""
    if not options.interactive:
        return None
    from pdt_annotate.cli.interactive.ask import Terminal  # noqa: PLC0415

    return Terminal(report, options.root, read_key, edit)


def assert_terminal() -> None:
    """
    Raises:
        UserError: there is nobody who could be asked.
    """
    for stream, name in ((sys.stdin, "stdin"), (sys.stderr, "stderr")):
        if not stream.isatty():
            hint = "run it in a terminal; --diff shows what would be written, and asks nothing"
            raise UserError(f"--interactive asks at a terminal, and {name} is none", hint=hint)


def read_key(ask: Callable[[], None]) -> str:
    """The next key, without Enter; of an arrow or a function key, which sends several characters, the first.

    Args:
        ask: shows the question. By then a key is no longer echoed, and Ctrl-D is a key.

    Raises:
        KeyboardInterrupt: Ctrl-C or Ctrl-D, or the terminal is gone.
    """
    try:
        pressed = _read_unbuffered(ask)
    except EOFError:
        pressed = ""
    if pressed in END:
        raise KeyboardInterrupt
    return pressed


def _read_unbuffered(ask: Callable[[], None]) -> str:
    """Unlike `click.getchar`, this keeps what was typed ahead, so that answers may be pasted into a terminal."""
    try:
        import termios  # noqa: PLC0415
        import tty  # noqa: PLC0415
    except ImportError:  # not on Windows
        ask()
        return click.getchar()
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        tty.setcbreak(terminal, termios.TCSADRAIN)
        ask()
        key = os.read(terminal, 1)
        if key == ESCAPE:
            _skip_sequence(terminal)
        return key.decode("ascii", "replace")
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _skip_sequence(terminal: int) -> None:
    if select.select([terminal], [], [], 0)[0]:
        os.read(terminal, LONGEST_SEQUENCE)


def edit(text: str) -> str:
    """The text as it was saved in $VISUAL or $EDITOR.

    Raises:
        UserError: the editor failed, or nothing was saved.
    """
    try:
        edited = click.edit(text, extension=".txt")
    except click.ClickException as error:
        hint = "set VISUAL or EDITOR to the command of an editor that waits until the file is closed"
        raise UserError(error.format_message(), hint=hint) from error
    if edited is None:
        raise UserError("the text was not saved, so nothing is changed", hint="e edits again, y takes it as it was")
    return edited
