"""A forked process: its work and output, its end, and the time to wait for its answer."""

import contextlib
import faulthandler
import gc
import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from typing import TypeVar

from pdt_annotate.processes.notes import NOTHING_KNOWN, Last, leave, note_error
from pdt_annotate.processes.wire import Channel
from pdt_annotate.values.errors import UserCodeError

A = TypeVar("A")
T = TypeVar("T")

CAN_FORK = hasattr(os, "fork") and hasattr(socket, "AF_UNIX")
LEAST = 0.05  # the fewest seconds that a fork gets, however little time is left
WAITING = 20  # seconds on the clock for each second of processor time
GRACE = 5.0  # seconds that a process has to end its children
ENDING = 0.002  # seconds between checks of a fork that is about to end
FAILED = 1  # the exit status if our own code has raised


def can_fork() -> bool:
    """Whether a fork of this process can do the same work. No fork can use CUDA if its parent has used it."""
    cuda = sys.modules.get("torch.cuda")
    return CAN_FORK and not (cuda is not None and cuda.is_initialized())


class Fork:
    """A function that runs in a forked process. The process leads a new group, unless it has to end with ours."""

    def __init__(self, work: Callable[[], None], *, leads_group: bool = True) -> None:
        self._returncode: int | None = None
        flush()
        self.pid = os.fork()
        if self.pid == 0:
            status = FAILED
            try:
                gc.freeze()  # a collection would write to every object of torch, and so copy all its memory
                if leads_group:
                    os.setpgid(0, 0)
                work()
                flush()
                status = 0
            except BaseException as error:
                note_error(error)
            finally:
                leave(status)  # the exit handlers belong to the parent
        # The child calls it too, because either may run first.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if leads_group:
                os.setpgid(self.pid, self.pid)

    def wait(self, options: int = 0) -> int | None:
        """Wait for its end. Returns the exit code as in `subprocess`; None if it still runs, with `os.WNOHANG`."""
        if self._returncode is None:
            try:
                pid, status = os.waitpid(self.pid, options)
            except ChildProcessError:  # the user's code makes the system reap children
                self._returncode = 0
            else:
                self._returncode = os.waitstatus_to_exitcode(status) if pid else None
        return self._returncode


def fork_with(work: Callable[[Channel], None], *closed: Channel, leads_group: bool = True) -> tuple[Fork, Channel]:
    """Fork a process that closes some channels and gets one end of a new pair. Returns it and the other end."""
    ours, theirs = map(Channel, socket.socketpair())

    def begin() -> None:
        for each in (ours, *closed):
            each.close()
        work(theirs)

    child = Fork(begin, leads_group=leads_group)
    theirs.close()
    return child, ours


def in_fork(work: Callable[[A], T], argument: A) -> T | None:
    """Do some work in a fork, inside a task, because a failed compilation corrupts the process; None if it failed."""

    def answer(end: Channel) -> None:
        faulthandler.disable()  # a crash is an answer here
        with contextlib.suppress(BaseException):  # the user's code may exit
            end.send(pickle.dumps(work(argument)))

    child, end = fork_with(answer, leads_group=False)
    answered = end.receive()
    end.close()
    child.wait()
    with contextlib.suppress(Exception):  # the user's code has corrupted it, in this process or in the fork
        return pickle.loads(answered)  # type: ignore[no-any-return]
    return None


def end_after(seconds: float) -> None:
    """End this process after a while, even if it is busy: a drawn call may never end."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, LEAST))


def end_after_work(seconds: float) -> None:
    """End this process after some processor time, however slow the machine is. A process that only waits ends too."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, max(seconds, LEAST))
    end_after(WAITING * seconds)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Drop output to stdout and stderr inside the block."""
    flush()
    saved: dict[int, int] = {}
    for stream in (1, 2):
        with contextlib.suppress(OSError):  # it is closed
            saved[stream] = os.dup(stream)
    with contextlib.suppress(OSError):  # the user's code has left no descriptor
        nothing = os.open(os.devnull, os.O_WRONLY)
        for stream in saved:
            os.dup2(nothing, stream)
        os.close(nothing)
    try:
        yield
    finally:
        flush()
        for stream, kept in saved.items():
            os.dup2(kept, stream)
            os.close(kept)


def flush() -> None:
    """Print the output that the user's code left in buffers, so that no fork prints it again."""
    for name in ("stdout", "stderr"):
        with contextlib.suppress(BaseException):  # the stream may be the user's, or missing if there is no console
            getattr(sys, name).flush()


def too_slow(timeout: float, last: Last = NOTHING_KNOWN) -> UserCodeError:
    message = f"your code did not finish within {timeout:g} s and was stopped{last.where}"
    return UserCodeError(message, place=last.place, hint="increase --timeout, or use smaller example inputs")
