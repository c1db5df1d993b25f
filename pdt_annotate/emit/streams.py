"""Standard streams: whether one is coloured, and bytes to one."""

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
    """Write and flush; that a standard stream cannot be written to is told at the end of the command."""
    stdout.write(content)
    stdout.flush()
