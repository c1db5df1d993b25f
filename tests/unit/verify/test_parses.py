"""The first judge: what compiles, and what only looks as if it did."""

from __future__ import annotations

import pytest

from pdt_annotate.values.outcome import FileChange
from pdt_annotate.verify import parses

GOOD = [b"", b"x = 1\n", "# coding: latin-1\nx = 'é'\n".encode("latin-1"), b"\xef\xbb\xbfx = 1\r\n"]


@pytest.mark.parametrize("source", GOOD)
def test_holds(source: bytes) -> None:
    assert parses.judge((FileChange("a.py", b"", source),)).ok


BAD = [
    (b"x = 1\ndef f(:\n", 2),
    (b"import x\nfrom __future__ import annotations\n", 2),
    (b"def f(a, a):\n    pass\n", 1),
    (b"def f():\n    global n\n    n: int = 1\n", 3),
    (b"x = '\xe9'\n", 1),
]


@pytest.mark.parametrize(("source", "line"), BAD)
def test_names_file_and_line(source: bytes, line: int) -> None:
    verdict = parses.judge((FileChange("good.py", b"", b"x = 1\n"), FileChange("bad.py", b"", source)))
    assert verdict.failure is not None
    assert (verdict.ok, verdict.failure.file, verdict.failure.line) == (False, "bad.py", line)


def test_the_program_that_is_judged_does_not_inherit_our_future_imports() -> None:
    source = b"def f(x: undefined_name): pass\n"
    assert parses.judge((FileChange("a.py", b"", source),)).ok


def test_a_null_byte_is_a_verdict() -> None:
    assert not parses.judge((FileChange("a.py", b"", b"x = 1\0\n"),)).ok
