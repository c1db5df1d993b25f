"""What user code may do to the process that it runs in, by accident, as tasks of a session."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

BEGUN = ".begun"
"""The suffix of a file that says that the task has begun."""


def _set(holder: Any, name: str, value: object) -> object:
    setattr(holder, name, value)
    return value


def set_up(*args: Any) -> tuple[Any, ...]:
    return args


def set_up_badly(how: str, file: str) -> None:
    Path(file).with_suffix(BEGUN).touch()
    DO[how](file)


def do(state: Any, how: str, file: str) -> None:
    set_up_badly(how, file)


def answer(state: Any) -> str:
    return "as good as before"


def _stay(file: str) -> None:
    Path(file).write_text(str(os.getpid()))
    time.sleep(60)
    os._exit(0)


def _in_a_session(file: str) -> None:
    if os.fork() == 0:
        os.setsid()
        _stay(file)


def _daemon(file: str) -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            _stay(file)
        os._exit(0)


def _three_deep(file: str) -> None:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                _stay(file)
            time.sleep(60)
        os._exit(0)


def _program(file: str) -> None:
    code = f"import os, time; open({file!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True)


def _deaf(file: str) -> None:
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        _stay(file)


LEAVES: dict[str, Callable[[str], None]] = {
    "session": _in_a_session,
    "daemon": _daemon,
    "three deep": _three_deep,
    "program": _program,
    "deaf": _deaf,
}


def _and(leave: Callable[[str], None], then: Callable[[], object]) -> Callable[[str], None]:
    def run(file: str) -> None:
        leave(file)
        while not Path(file).exists():
            time.sleep(0.01)
        then()

    return run


def _hang() -> None:
    while True:
        pass


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


def _stop(file: str) -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


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
    "stopped": _stop,
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


BREAKS: dict[str, Callable[[str], object]] = {
    "streams": _spoil_streams,
    "no streams": lambda file: [_set(sys, name, None) for name in ("stdin", "stdout", "stderr")],
    "close 0 1 2": lambda file: os.closerange(0, 3),
    "close all": lambda file: os.closerange(0, 65536),
    "no more files": lambda file: resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3)),
    "no more memory": lambda file: resource.setrlimit(resource.RLIMIT_AS, (2**20, 2**20)),
    "no writing": lambda file: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    "no processes": lambda file: resource.setrlimit(resource.RLIMIT_NPROC, (0, 0)),
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
    "abort": lambda file: os.abort(),
    "thread exits": _leave_from_a_thread,
}
DO: dict[str, Callable[[str], object]] = {
    **{f"leave {name} and {then}": _and(leave, act) for name, leave in LEAVES.items() for then, act in (
        ("answer", lambda: None), ("hang", _hang), ("exit", lambda: os._exit(0)), ("crash", os.abort))
        if then != "hang" or name in ("session", "daemon", "program")},
    **{f"hang: {name}": hang for name, hang in HANGS.items()},
    **{f"break: {name}": each for name, each in BREAKS.items()},
}  # fmt: skip
