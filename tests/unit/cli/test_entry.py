"""What is said of a command that ended before its time."""

from __future__ import annotations

import signal

import pytest

from pdt_annotate.cli.ended import Ended
from pdt_annotate.cli.entry import tell
from pdt_annotate.values.exits import EXIT_INTERRUPTED
from pdt_annotate.writes import near


@pytest.fixture(autouse=True)
def _begin() -> None:
    near.written.clear()


def test_nothing_was_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell(KeyboardInterrupt()) == EXIT_INTERRUPTED
    assert capsys.readouterr().err == "error: interrupted; nothing was written\n"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_was_written_is_told(number: int, capsys: pytest.CaptureFixture[str]) -> None:
    near.written.extend(["a.py", "b.py"])
    assert tell(Ended(number)) == 128 + number
    assert capsys.readouterr().err == "error: interrupted; a.py, b.py were written\n"
