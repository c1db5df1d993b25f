"""The command's standard streams: what cannot be written to them raises nowhere, and is told once, at the end.

A stream that was closed before the command began is opened on nothing, so that no file of ours gets its number.
Standard library only, and little of that: an answer from the cache begins here, too.
"""

from __future__ import annotations

import errno
import io
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO


GONE = frozenset({errno.EPIPE, errno.ECONNRESET, errno.ESHUTDOWN})
"""The reader has left: it has seen enough, as `head` has, and that is no error."""


class Unfailing(io.FileIO):
    """A descriptor to which every write succeeds; `failure` is the first that did not."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        """How much was taken; all, where the system takes none."""
        while self.failure is None:
            try:
                written = super().write(data)
            except OSError as error:
                self.failure = error
                break
            if written is not None:
                return written
            import select  # noqa: PLC0415  (hardly anybody waits)

            select.select([], [self], [])  # somebody has made the pipe a non-blocking one
        return memoryview(data).nbytes


def open_standard_streams() -> None:
    """Have all three; what is printed is shown in what the stream can show, and the rest as Python spells it."""
    # To stdout nothing can be written where it was closed, which is told; to stderr it can: user code may print there.
    for descriptor, flags in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.dup2(nothing := os.open(os.devnull, flags), descriptor)
            if nothing != descriptor:
                os.close(nothing)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.FileIO(0, closefd=False))
    sys.stdout, sys.stderr = _stream(1, sys.stdout), _stream(2, sys.stderr)


def _stream(descriptor: int, before: TextIO | None) -> io.TextIOWrapper:
    raw = Unfailing(descriptor, "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=before.encoding if before is not None else "utf-8",
        errors="backslashreplace",
        line_buffering=descriptor == 2 or raw.isatty(),
        write_through=descriptor == 2,
    )


def lost_output() -> str:
    """Why not all of stdout was written; "" where it was, or where its reader has left."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    failure = raw.failure if isinstance(raw, Unfailing) else None
    return "" if failure is None or failure.errno in GONE else os.strerror(failure.errno or 0)
