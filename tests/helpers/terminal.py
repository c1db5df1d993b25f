"""A process in a separate pseudo terminal. As a person does, the test waits for a text and then presses a key."""

import fcntl
import os
import pty
import re
import select
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

PATIENCE = 60.0
"""The time after which a test fails if the expected text does not appear, in seconds."""

CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """Runs a command in a terminal. If `stdout` is given, it is a file and not the terminal.

    `shown` is the whole output in the terminal, as text with its control sequences.
    """

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str], stdout: Path | None = None) -> None:
        self._master, slave = pty.openpty()
        self.shown = ""
        self._read_to = 0
        out = stdout.open("wb") if stdout else None
        self._process = subprocess.Popen(
            command,
            cwd=cwd,
            env={"TERM": "xterm", "COLUMNS": "120", **env},
            stdin=slave,
            stdout=out or slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # makes stdin the controlling terminal
        )
        os.close(slave)
        if out:
            out.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    @property
    def text(self) -> str:
        return CONTROL.sub("", self.shown).replace("\r\n", "\n")

    def press(self, keys: str, after: str) -> None:
        """Press keys as soon as a text appears that was not there at the last key press."""
        deadline = time.monotonic() + PATIENCE
        while after not in self.shown[self._read_to :]:
            assert self._read(deadline), f"the process ended without {after!r}:\n{self.text}"
        self._read_to = len(self.shown)
        os.write(self._master, keys.encode())

    def finish(self) -> int:
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline):
            pass
        return self._process.wait()

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        assert ready, f"nothing more was shown:\n{self.text}"
        try:
            read = os.read(self._master, 65536)
        except OSError:  # the error of Linux if no process has the other end open
            return False
        self.shown += read.decode("utf-8", "replace")
        return bool(read)
