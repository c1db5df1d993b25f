"""A process that stops at each of its system calls, so that an attack can happen there. Linux only.

The process is traced with ptrace, which is called through ctypes. Neither strace nor a compiler is needed.
"""

import contextlib
import ctypes
import os
import platform
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

TRACEME, PEEKUSER, POKEUSER, SYSCALL, SETOPTIONS = 0, 3, 6, 24, 0x4200
STOPS_MARKED, KILLED_WITH_US = 0x1, 0x100000
NUMBER, RESULT, ARGUMENTS = 8 * 15, 8 * 10, (8 * 14, 8 * 13, 8 * 12)
"""The registers of x86-64 for the number of a call, its result, and its first arguments."""
LONGEST = 4096
"""The maximum number of bytes of a path."""
ENDLESS = 20_000
"""The maximum number of calls. After it, SIGXCPU ends the process."""
STOP = signal.SIGTRAP | 0x80

FILE_CALLS = {
    0: "read", 1: "write", 2: "open", 3: "close", 4: "stat", 5: "fstat", 6: "lstat", 8: "lseek", 16: "ioctl",
    21: "access", 72: "fcntl", 73: "flock", 74: "fsync", 76: "truncate", 77: "ftruncate", 79: "getcwd", 82: "rename",
    83: "mkdir", 84: "rmdir", 86: "link", 87: "unlink", 89: "readlink", 90: "chmod", 91: "fchmod", 92: "chown",
    93: "fchown", 188: "setxattr", 191: "getxattr", 194: "listxattr", 257: "openat", 258: "mkdirat", 260: "fchownat",
    262: "newfstatat", 263: "unlinkat", 264: "renameat", 265: "linkat", 267: "readlinkat", 268: "fchmodat",
    269: "faccessat", 280: "utimensat", 316: "renameat2", 332: "statx", 439: "faccessat2", 452: "fchmodat2",
}  # fmt: skip
"""The calls on x86-64 that can fail because of a disk or a permission."""

AtStop = Callable[[int, int, str], "int | None"]
"""(process, number of calls so far, name of the next call or "") → its error, or None to execute it."""


@dataclass(frozen=True)
class Stepped:
    """How a process ended: the exit code, negative for a signal; the number of calls; and its output in `out`."""

    code: int
    calls: int
    out: bytes


def can_step() -> bool:
    """Whether processes can be traced on this system."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return False
    with contextlib.suppress(OSError):
        return step(lambda: 7, lambda *_: None).code == 7
    return False


def step(work: Callable[[], int], at_stop: AtStop) -> Stepped:
    """Run `work` in a fork, and call `at_stop` before each of its system calls. `work` returns the exit code.

    The output of `work` to stdout and stderr is captured. Do not call this function in several threads.
    """
    reading, writing = os.pipe()
    process = os.fork()
    if not process:
        _do(work, writing)
    os.close(writing)
    os.waitpid(process, 0)
    _ptrace(SETOPTIONS, process, 0, STOPS_MARKED | KILLED_WITH_US)
    code, calls = _follow(process, at_stop)
    with os.fdopen(reading, "rb") as stream:
        return Stepped(code, calls, stream.read())


def argument(process: int, index: int = 0) -> int:
    """An argument of the system call at which a process is stopped."""
    return _ptrace(PEEKUSER, process, ARGUMENTS[index])


def path_argument(process: int, index: int) -> str:
    """An argument that is a path, likewise."""
    with open(f"/proc/{process}/mem", "rb", buffering=0) as memory:
        memory.seek(argument(process, index))
        return os.fsdecode(memory.read(LONGEST).partition(b"\0")[0])


def _follow(process: int, at_stop: AtStop) -> tuple[int, int]:
    calls, entering, error, pending = 0, True, None, 0
    while True:
        with contextlib.suppress(ProcessLookupError):  # killed while it was stopped
            _ptrace(SYSCALL, process, 0, pending)
        _, status = os.waitpid(process, 0)
        if not os.WIFSTOPPED(status):
            return os.waitstatus_to_exitcode(status), calls
        stopped = os.WSTOPSIG(status)
        pending = 0 if stopped == STOP else stopped
        if stopped != STOP:
            continue
        if entering:
            error = at_stop(process, calls, FILE_CALLS.get(_ptrace(PEEKUSER, process, NUMBER), ""))
            calls += 1
            if calls > ENDLESS:
                os.kill(process, signal.SIGXCPU)
            if error is not None:
                _ptrace(POKEUSER, process, NUMBER, -1)
        elif error is not None:
            _ptrace(POKEUSER, process, RESULT, -error)
        entering = not entering


def _do(work: Callable[[], int], writing: int) -> None:
    code = 99
    try:
        os.dup2(writing, 1)
        os.dup2(writing, 2)
        _ptrace(TRACEME, 0)
        os.kill(os.getpid(), signal.SIGSTOP)
        code = work()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)


def _ptrace(request: int, process: int, address: int = 0, data: int = 0) -> int:
    ctypes.set_errno(0)
    given: int = _CALL(request, process, address, data)
    error = ctypes.get_errno()
    if given == -1 and error:
        if error == 3:  # ESRCH
            raise ProcessLookupError(error, os.strerror(error))
        raise OSError(error, os.strerror(error))
    return given


def _find_call() -> Callable[[int, int, int, int], int]:
    call = ctypes.CDLL(None, use_errno=True).ptrace
    call.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_long, ctypes.c_long]
    call.restype = ctypes.c_long
    return call


_CALL = _find_call() if sys.platform == "linux" else lambda *_: -1
