"""Standard streams: whether one is coloured, and output to one that may be closed."""

from __future__ import annotations

import os
from typing import IO, Any, BinaryIO

from pdt_annotate.settings.options import Color


def wants_color(color: Color, stream: IO[Any]) -> bool:
    """`--color` first, then NO_COLOR (no-color.org) and FORCE_COLOR (force-color.org), then the terminal."""
    if color is not Color.AUTO:
        return color is Color.ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def write(stdout: BinaryIO, content: bytes) -> None:
    """Write and flush. A reader that has seen enough, such as `head`, is no error: the rest goes nowhere."""
    try:
        stdout.write(content)
        stdout.flush()
    except BrokenPipeError:
        # What is still buffered would raise again when the interpreter flushes at exit.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stdout.fileno())
        os.close(nowhere)
