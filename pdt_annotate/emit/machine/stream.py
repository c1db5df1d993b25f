"""Machine output to stdout."""

from __future__ import annotations

import os
from typing import BinaryIO


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
