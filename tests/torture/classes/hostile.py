"""A module may do what it likes: the run says what it did, in our words, and nothing is lost or left behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "helpers"))

import warm_interpreters
from hostile_modules import Module, hostile_modules, run_hostile, what_fell
from tally import LEFT, side_by_side

if TYPE_CHECKING:
    from tally import Means, Tally

LEAST = 110
PR_SET_CHILD_SUBREAPER = 36


def run(means: Means, tally: Tally) -> None:
    """Run each module of tests/hostile once, or as many of them as there is time for."""
    _adopt_orphans()
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    every = hostile_modules()
    modules = means.random("modules").sample(every, min(len(every), means.times(len(every))))
    try:
        with warm_interpreters.install():
            side_by_side(lambda module: _attack(module, folder, tally), modules)
            orphans = list(_orphans())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for pid, words in orphans:
        tally.count("after all modules", (LEFT, f"process {pid}: {words}"))


def _attack(module: Module, folder: Path, tally: Tally) -> None:
    place = folder / module.name
    ran = run_hostile(module, place)
    left = [(LEFT, f"process {pid} in {cwd}") for pid, cwd in _processes_in(place)]
    tally.count(module.name, *what_fell(module, ran), *left)
    shutil.rmtree(place, ignore_errors=True)


def _processes_in(place: Path) -> Iterator[tuple[int, str]]:
    """The processes whose working directory lies in a folder; each is ended."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            cwd = os.readlink(entry / "cwd")
            if Path(cwd).is_relative_to(place):
                yield int(entry.name), cwd
                os.kill(int(entry.name), signal.SIGKILL)


def _adopt_orphans() -> None:
    """Let processes whose parents have ended become children of this one, where the system can do so."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _orphans() -> Iterator[tuple[int, str]]:
    """Children that nobody here has started; each is ended."""
    known = {server.pid for server in warm_interpreters.WarmPopen.servers._running}
    for pid in map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()):
        if pid not in known:
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                if state != "Z":
                    yield pid, words
