"""Finds the processes below one, and ends them as a whole, as far as the platform lists them."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

SIGNAL_AT_PARENTS_END, ADOPT_ORPHANS = 1, 36  # options of Linux: PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER
LISTS_CHILDREN = os.path.isdir("/proc/self/task")  # whether the platform lists the children of a process
PASSES = 100  # passes over a tree to end it, since it may grow meanwhile
# In the command of a process that removes shared memory and semaphores as soon as no process uses them.
TRACKER = b"multiprocessing.resource_tracker"
STARTING, TIDYING, LOOK = 0.5, 2.0, 0.005  # seconds until its program is loaded, for its work, between two checks


def control(option: int, value: int) -> None:
    """Set an option of this process (`man prctl`), if the platform can."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def children_of(pid: int) -> Iterator[int]:
    """The children of a process; none if the platform does not list them."""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", "rb") as file:
                yield from map(int, file.read().split())


def below(pid: int) -> Iterator[int]:
    """All processes below one, parents first."""
    for child in children_of(pid):
        yield child
        yield from below(child)


def end_below(pid: int, is_spared: Callable[[int], bool] = lambda pid: False, *, itself: bool = False) -> None:
    """Kill all processes below one, except spared ones and those below them; with `itself`, kill the process too.

    A killed process starts no others, so when no new one is found, all are gone. A process that removes shared memory
    ends after the others without a signal, and is killed only if it does not.
    """
    killed: set[int] = set()
    tidying: set[int] = set()
    for _ in range(PASSES):
        new = [each for child in children_of(pid) if not is_spared(child) for each in (child, *below(child))]
        new = [each for each in new if each not in killed]
        if not new:
            break
        killed.update(new)
        for each in new:
            if tidies(each):
                tidying.add(each)
            else:
                kill(each)
    if itself:
        kill(pid)
    deadline = time.monotonic() + TIDYING
    while any(map(tidies, tidying)) and time.monotonic() < deadline:
        time.sleep(LOOK)
    for each in filter(tidies, tidying):
        kill(each)


def tidies(pid: int) -> bool:
    """Whether a process is a tracker that removes shared resources."""
    deadline = time.monotonic() + STARTING
    with contextlib.suppress(OSError):
        while True:
            with open(f"/proc/{pid}/cmdline", "rb") as command, open(f"/proc/{pid}/stat", "rb") as stat:
                words, state = command.read(), stat.read().rpartition(b")")[2].split()[0]
            # A process has no command while the system loads its program, nor after it has ended.
            if words or state in (b"Z", b"X") or time.monotonic() > deadline:
                return TRACKER in words
            time.sleep(LOOK)
    return False


def end_tree(pid: int) -> None:
    """Kill a process with all processes below it, and with its group."""
    if os.name == "nt":
        words = ["taskkill", "/F", "/T", "/PID", str(pid)]
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            subprocess.run(words, capture_output=True, check=False, timeout=5)
        return
    end_below(pid, itself=True)
    kill_group(pid)


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def kill_group(pid: int) -> None:
    """Kill the processes of a group, if the platform has groups."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
