"""Where lines are shown: a terminal, as wide as it is and in what it can show, or a pipe, where a line stays one."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.text import Text

from pdt_annotate.emit.streams import wants_color
from pdt_annotate.emit.terminal.wrapping import wrap
from pdt_annotate.emit.words import TIMES
from pdt_annotate.settings.options import Options
from pdt_annotate.values.printable import disarm

PIPE_WIDTH = 120
"""Columns for tables where the stream is no terminal and COLUMNS does not say."""


PLAIN = str.maketrans(
    {"✓": "+", "✗": "x", "\N{EN DASH}": "-", "\N{MIDDLE DOT}": ".", "→": "->", "…": "...", TIMES: "x"}
)
"""Our signs where there are only those of ASCII."""


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


def print_wrapped(console: Console, lines: Iterable[Text], end: str = "\n") -> None:
    """Print lines, on a terminal wrapped between words; in a pipe one line stays one, for those who search it.

    No line ends with blanks, signs that cannot be shown are others, and what acts on a terminal or on GitHub's runner
    is spelled out.
    """
    width = console.width if console.file.isatty() else sys.maxsize
    unicode = codecs.lookup(console.encoding).name.startswith("utf")
    for line in map(_disarmed, lines):
        if not unicode:
            line.plain = line.plain.translate(PLAIN)
        *wrapped, last = wrap(line, width)
        for each in wrapped:
            console.print(each, soft_wrap=True)
        console.print(last if end == "\n" else line, soft_wrap=True, end=end)


def _disarmed(line: Text) -> Text:
    """The line as it may be shown; one in which that is otherwise than it stands has no styles."""
    shown = disarm(line.plain)
    return line if shown == line.plain else Text(shown, no_wrap=line.no_wrap)
