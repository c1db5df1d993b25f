"""Python as it is where there is no fork, as on Windows, as far as Python itself gets by without what is missing there.

An interpreter that has this folder in PYTHONPATH imports this first. What the tests' own machinery needs of what is
taken away stands in `removed`.
"""

import os
import signal
import socket
import sys
from typing import Any

MISSING: dict[Any, tuple[str, ...]] = {
    os: ("fork", "forkpty", "killpg", "setpgid", "getpgid", "setsid", "getsid", "chown"),
    signal: ("SIGALRM", "setitimer", "alarm"),
    socket: ("AF_UNIX",),
}
MODULES = ("fcntl", "grp", "pwd", "resource", "termios", "tty")

removed: dict[str, Any] = {}

for module, names in MISSING.items():
    for name in names:
        removed[name] = vars(module).pop(name)
for name in MODULES:
    sys.modules[name] = None  # type: ignore[assignment]
