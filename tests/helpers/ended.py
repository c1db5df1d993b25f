"""Functions that test whether processes have ended."""

import os
import time
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Whether the process runs. A zombie does not run."""
    try:
        os.kill(pid, 0)
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def is_gone_soon(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_alive(pid)
