"""Tools of several classes of attacks: projects, running the tool as a user does, and leftovers of a run.

This module imports only the standard library, and nothing of the package.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tally import BUG, LEFT

REPOSITORY = Path(__file__).resolve().parents[2]
MARK = "TORTURE_RUN"
"""A variable in the environment of every run and of its children, with which leftover processes are found."""
KEPT = ("PATH", "LANG", "LD_LIBRARY_PATH", "SYSTEMROOT", "COVERAGE_PROCESS_START")
TIMEOUT = 120
BUG_CODES = (70, 120)


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A directory for one class. It is removed afterwards, even if modes in it were changed."""
    folder = Path(tempfile.mkdtemp(prefix="pdt-torture-")).resolve()
    try:
        yield folder
    finally:
        for directory, _, _ in os.walk(folder):
            with contextlib.suppress(OSError):
                os.chmod(directory, 0o700)
        shutil.rmtree(folder, ignore_errors=True)


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a run: the path of the package, a separate home, and nothing else of ours."""
    home.mkdir(parents=True, exist_ok=True)
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    own = {"PYTHONPATH": str(REPOSITORY), "HOME": str(home), "COLUMNS": "120", MARK: uuid.uuid4().hex}
    return {**kept, **own, **(more or {})}


@dataclass(frozen=True)
class Ran:
    """The result of a run: the exit code, negative for a signal, and the output."""

    code: int
    out: bytes
    err: bytes
    left: tuple[str, ...] = ()
    """The processes that still ran after it."""

    @property
    def said(self) -> str:
        return (self.out + self.err).decode("utf-8", "backslashreplace")

    def faults(self) -> list[tuple[str, str]]:
        """The faults that no run may have, for `Tally.count`."""
        found = [(LEFT, f"processes: {each}") for each in self.left]
        if self.code in BUG_CODES or "Traceback (most recent call last)" in self.said:
            found.append((BUG, f"exit {self.code}: {self.said[-600:]}"))
        return found


def run_tool(words: Sequence[str], folder: Path, env: Mapping[str, str]) -> Ran:
    """Run the tool in a separate session. If it takes too long, it is killed, with all its children."""
    command = [sys.executable, "-m", "pdt_annotate", *words]
    none, pipe = subprocess.DEVNULL, subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=folder, env=env, stdin=none, stdout=pipe, stderr=pipe, start_new_session=True
    )
    try:
        out, err = process.communicate(timeout=TIMEOUT)
        left = left_processes(env)
    except subprocess.TimeoutExpired:
        left = [f"the run itself, after {TIMEOUT} s", *left_processes(env)]
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
    return Ran(process.returncode, out, err, tuple(left))


def left_processes(env: Mapping[str, str], seconds: float = 2) -> list[str]:
    """The processes that a run started and that still exist after a moment, on systems with /proc.

    They are killed. Zombies do not count.
    """
    deadline = time.monotonic() + seconds
    while (found := _marked(env[MARK])) and time.monotonic() < deadline:
        time.sleep(0.02)
    for process in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    return [f"{process} {command}" for process, command in found.items()]


def _marked(mark: str) -> dict[int, str]:
    found: dict[int, str] = {}
    for place in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            if f"{MARK}={mark}".encode() in (place / "environ").read_bytes():
                found[int(place.name)] = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return found
