"""The command's standard streams: failed writes never raise, and are reported once, at the end.

A stream that was closed before the command began is opened on the null device, so that no file of ours gets its number.
Standard library only, and little of that: a cached answer starts with this module too.
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
"""Errors that mean that the reader has left, as `head` does when it has seen enough; they are not reported."""


class Unfailing(io.FileIO):
    """A descriptor to which every write succeeds; `failure` is the first error of the system."""

    failure: OSError | None = None

    def write(self, data: Any) -> int:
        """The number of bytes written; after a failure, the length of the data."""
        while self.failure is None:
            try:
                written = super().write(data)
            except OSError as error:
                self.failure = error
                break
            if written is not None:
                return written
            import select  # noqa: PLC0415  (hardly anybody waits)

            select.select([], [self], [])  # another process has made the pipe non-blocking
        return memoryview(data).nbytes


def open_standard_streams() -> None:
    """Open all three; characters that a stream cannot encode are written as Python escapes."""
    # A closed stdout becomes read-only, so that writing fails and is reported; stderr stays writable for user code.
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
    """Why some of stdout was not written; "" if all of it was, or its reader has left."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    failure = raw.failure if isinstance(raw, Unfailing) else None
    return "" if failure is None or failure.errno in GONE else os.strerror(failure.errno or 0)
