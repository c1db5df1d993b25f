"""Measure the cost of a command: wall time, and CPU time of all processes that it started, including orphans."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of Linux: orphaned descendants of a process become its children


@dataclass(frozen=True)
class Cost:
    wall: float  # seconds
    cpu: float  # seconds, user and system


def measure(command: Sequence[str], folder: Path, environment: Mapping[str, str], *, one_core: bool = False) -> Cost:
    """The cost of a command that must succeed.

    Raises:
        subprocess.CalledProcessError: the command failed.
    """
    given = [sys.executable, __file__, "one core" if one_core else "all cores", *command]
    done = subprocess.run(given, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return Cost(**json.loads(done.stdout))


def main(cores: str, *command: str) -> int:
    """Run the command as a process whose descendants all become children of this one."""
    if cores == "one core":
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    start = time.perf_counter()
    code = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
    wall = time.perf_counter() - start
    with contextlib.suppress(ChildProcessError):  # no child is left
        while True:
            os.wait()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(json.dumps({"wall": wall, "cpu": used.ru_utime + used.ru_stime}))
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
