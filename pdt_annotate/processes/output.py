"""What a process prints, and whatever it starts."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Drop what is written to stdout and stderr inside the block."""
    flush()
    saved = {stream: os.dup(stream) for stream in (1, 2)}
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in saved:
        os.dup2(nothing, stream)
    os.close(nothing)
    try:
        yield
    finally:
        flush()
        for stream, kept in saved.items():
            os.dup2(kept, stream)
            os.close(kept)


def flush() -> None:
    """Empty the buffers of what the user's code printed, so that no fork prints it again."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            if stream is not None:  # as in a process without a console
                stream.flush()
