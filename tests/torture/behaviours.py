"""What user code may do to the process that it runs in, by accident, as tasks of a session."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

BEGUN = ".begun"
"""The suffix of a file that says that the task has begun."""


def set_up(*args: Any) -> tuple[Any, ...]:
    return args


def set_up_badly(how: str, file: str) -> None:
    Path(file).with_suffix(BEGUN).touch()
    DO[how](file)


def do(state: Any, how: str, file: str) -> None:
    set_up_badly(how, file)


def answer(state: Any) -> str:
    return "as good as before"


def _leave(depth: int, file: str, *, deaf: bool = False) -> None:
    """Leave a process behind, so many forks deep, each in a session of its own; the parents in between end."""
    for level in range(depth):
        if os.fork():
            if level == 0:
                return
            time.sleep(60 if level == 2 else 0)
            os._exit(0)
        os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT) if deaf else ():
        signal.signal(number, signal.SIG_IGN)
    Path(file).write_text(str(os.getpid()))
    time.sleep(60)
    os._exit(0)


def _leave_program(file: str) -> None:
    code = f"import os, time; open({file!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True)


LEAVES: dict[str, Callable[[str], None]] = {
    "session": partial(_leave, 1),
    "daemon": partial(_leave, 2),
    "three deep": partial(_leave, 3),
    "program": _leave_program,
    "deaf": partial(_leave, 1, deaf=True),
}


def _hang(file: str = "") -> None:
    while True:
        pass


THEN: dict[str, Callable[[], object]] = {
    "answer": lambda: None,
    "hang": _hang,
    "exit": lambda: os._exit(0),
    "crash": os.abort,
}


def _leave_and(leave: str, then: str, file: str) -> None:
    LEAVES[leave](file)
    while not Path(file).exists():
        time.sleep(0.01)
    THEN[then]()


def _freeze(file: str) -> None:
    for name in ("monotonic", "time", "perf_counter", "monotonic_ns", "time_ns"):
        setattr(time, name, lambda: 0)
    time.sleep = lambda seconds: None
    for name in ("setitimer", "alarm"):
        setattr(signal, name, lambda *_: 0)
    _hang()


def _block(file: str) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP})
    _hang()


def _hang_in_threads(file: str) -> None:
    for _ in range(3):
        threading.Thread(target=_hang).start()
    _hang()


def _hang_without_descriptors(file: str) -> None:
    os.closerange(3, 65536)
    _hang()


HANGS: dict[str, Callable[[str], None]] = {
    "clocks": _freeze,
    "masks": _block,
    "stopped": lambda file: os.kill(os.getpid(), signal.SIGSTOP),
    "threads": _hang_in_threads,
    "no descriptors": _hang_without_descriptors,
}


def _leave_from_a_thread(file: str) -> None:
    threading.Thread(target=os._exit, args=(4,)).start()
    time.sleep(1)


class _Stream:
    def write(self, text: str) -> int:
        raise RuntimeError("no")

    def flush(self) -> None:
        raise SystemExit(5)


def _spoil_streams(file: str) -> None:
    sys.stdout = sys.stderr = _Stream()


def _lose_streams(file: str) -> None:
    sys.stdin = sys.stdout = sys.stderr = None


def _limit(what: int, most: int, file: str) -> None:
    resource.setrlimit(what, (most, most))


BREAKS: dict[str, Callable[[str], object]] = {
    "streams": _spoil_streams,
    "no streams": _lose_streams,
    "close 0 1 2": lambda file: os.closerange(0, 3),
    "close all": lambda file: os.closerange(0, 65536),
    "no more files": partial(_limit, resource.RLIMIT_NOFILE, 3),
    "no more memory": partial(_limit, resource.RLIMIT_AS, 2**20),
    "no writing": partial(_limit, resource.RLIMIT_FSIZE, 0),
    "no processes": partial(_limit, resource.RLIMIT_NPROC, 0),
    "ignore children": lambda file: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
    "ignore all": lambda file: [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 3, 10, 12, 13, 14, 15, 17, 64)],
    "trace": lambda file: sys.settrace(lambda *_: [][0]),
    "profile": lambda file: sys.setprofile(lambda *_: 1 // 0),
    "recursion": lambda file: sys.setrecursionlimit(60),
    "chdir": lambda file: os.chdir("/"),
    "raise": lambda file: [][1],
    "exit": lambda file: sys.exit(3),
    "interrupt": lambda file: os.kill(os.getpid(), signal.SIGINT),
    "kill": lambda file: os.kill(os.getpid(), signal.SIGKILL),
    "kill the group": lambda file: os.killpg(0, signal.SIGKILL),
    "exit at once": lambda file: os._exit(9),
    "thread exits": _leave_from_a_thread,
}
DO: dict[str, Callable[[str], object]] = {
    **{f"leave {leave} and {then}": partial(_leave_and, leave, then) for leave, then in product(LEAVES, THEN)},
    **{f"hang: {name}": hang for name, hang in HANGS.items()},
    **{f"break: {name}": each for name, each in BREAKS.items()},
}
