"""Through whole processes: what a stream is, is settled before Python has begun."""

from __future__ import annotations

import errno
import os
import subprocess
import sys

import pytest

from pdt_annotate.values.standard_streams import Unfailing

EXPLAIN = [sys.executable, "-m", "pdt_annotate", "explain"]


def test_what_can_be_written_is() -> None:
    reader, writer = os.pipe()
    with Unfailing(writer, "wb") as stream:
        assert stream.write(b"abc") == 3
    assert os.read(reader, 9) == b"abc"
    assert stream.failure is None


def test_a_reader_that_left_raises_nothing() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with Unfailing(writer, "wb") as stream:
        assert stream.write(b"abc") == 3
    assert stream.failure is not None
    assert stream.failure.errno == errno.EPIPE


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX")
@pytest.mark.parametrize(
    ("streams", "code", "said"),
    [
        ("", 0, b""),
        ("| head -1", 0, b""),
        (">/dev/full", 2, b"error: cannot write to stdout: No space left on device\n"),
        (">&-", 2, b"error: cannot write to stdout: Bad file descriptor\n"),
        ("<&- >/dev/null 2>&-", 0, b""),
        (">/dev/full 2>/dev/full", 2, b""),
    ],
)
def test_what_cannot_be_said_is_told_once(streams: str, code: int, said: bytes) -> None:
    command = f"set -o pipefail; {' '.join(EXPLAIN)} {streams}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (code, said)
