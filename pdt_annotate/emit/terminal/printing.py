"""Lines with styles, printed where they can be shown or written where they are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TextIO

from rich.text import Text

from pdt_annotate.emit.streams import write
from pdt_annotate.emit.terminal.console import PIPE_WIDTH, make_console, print_wrapped
from pdt_annotate.settings.options import Options

Lines = Callable[[int], Iterable[Text]]
"""The lines for a width."""


def print_lines(lines: Lines, options: Options, stream: TextIO) -> None:
    """Print to a standard stream, as wide as it is and in what it can show; a reader may have gone."""
    console = make_console(options, stream)
    with console.capture() as captured:
        print_wrapped(console, lines(console.width))
    write(stream.buffer, captured.get().encode(console.encoding, "backslashreplace"))


def plain_text(lines: Lines) -> str:
    """The same for a file."""
    return "".join(f"{line.plain.rstrip()}\n" for line in lines(PIPE_WIDTH))


def print_text(text: Callable[[int], str], options: Options, stream: TextIO) -> None:
    """Print what has no styles in the same way."""
    print_lines(lambda width: (Text(line, no_wrap=True) for line in text(width).splitlines()), options, stream)
