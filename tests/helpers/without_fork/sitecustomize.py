"""Python without the functions that a platform without fork, such as Windows, lacks.

Functions that Python itself needs are kept. An interpreter with this folder in PYTHONPATH imports this file first.
`removed` has the removed functions, which the tests themselves need.
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
