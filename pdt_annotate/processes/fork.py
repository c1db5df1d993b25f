"""A forked process: what it runs and prints, how it ends, and how long to wait for what it says."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import pickle
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from pdt_annotate.processes.wire import Reply, receive
from pdt_annotate.values.errors import UserCodeError

A = TypeVar("A")
T = TypeVar("T")

CAN_FORK = hasattr(os, "fork") and hasattr(socket, "AF_UNIX")
LEAST = 0.05  # seconds that a fork may take at least, however little time is left
GRACE = 5.0  # seconds in which a process may end its children by itself
ENDING = 0.002  # seconds between looks at a fork that is about to end
POLL = 0.2  # seconds until a child that ended without a word is noticed, where one of its own keeps its end open
SLOW_HINT = "raise --timeout, or use smaller example inputs"


class Fork:
    """A function that runs in a forked process, which leads a process group of its own unless it is to end with us."""

    def __init__(self, work: Callable[[], None], *, leads_group: bool = True) -> None:
        self._returncode: int | None = None
        flush()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                gc.freeze()  # a collection would write to every object of torch, and so copy all of its memory
                if leads_group:
                    os.setpgid(0, 0)
                work()
            finally:
                leave()
        # Here too, because nobody knows which of the two runs first.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if leads_group:
                os.setpgid(self._pid, self._pid)

    def await_answer(self, answers: Connection[Any, Any], parent: Connection[Any, Any] | None, timeout: float) -> bytes:
        """Wait for its pickled reply; where none comes, because time is up or it is dead, make one.

        Where the tool itself, at the other end of `parent`, has gone, the process that waits ends, and this with it.
        """
        deadline = time.monotonic() + timeout
        watched = [answers] if parent is None else [answers, parent]
        with answers:
            while (left := deadline - time.monotonic()) > 0:
                ready = wait(watched, min(left, POLL))
                if parent in ready:
                    self.end()
                    os.killpg(0, signal.SIGKILL)
                ended = self._has_ended()
                if answers in ready or (ended and answers in watched and answers.poll()):
                    answer = receive(answers)
                    if answer:
                        return answer
                    watched.remove(answers)
                if ended:
                    return Reply(error=ended_badly(self._returncode or 0)).pickled()
        return Reply(error=too_slow(timeout)).pickled()

    def end_in_time(self) -> None:
        """Let it end by itself, with the forks that it made, which it alone knows; else end it."""
        deadline = time.monotonic() + GRACE
        while not self._has_ended() and time.monotonic() < deadline:
            time.sleep(ENDING)
        self.end()

    def end(self) -> None:
        """Kill the process with whatever it started, and reap it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        self._reap(0)

    def _has_ended(self) -> bool:
        self._reap(os.WNOHANG)
        return self._returncode is not None

    def _reap(self, options: int) -> None:
        if self._returncode is None:
            try:
                pid, status = os.waitpid(self._pid, options)
            except ChildProcessError:  # the user's code has told the system to reap children unasked
                self._returncode = 0
            else:
                self._returncode = os.waitstatus_to_exitcode(status) if pid else None


def in_fork(work: Callable[[A], T], argument: A) -> T | None:
    """Do some work in a fork, inside a task; None where it did not return.

    A failed compilation, for one, spoils the process for the next.
    """
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        faulthandler.disable()  # a crash is an answer here
        try:
            with contextlib.suppress(Exception), os.fdopen(write, "wb") as out:
                out.write(pickle.dumps(work(argument)))
        finally:  # an exit of the user's code included
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as source:
        answer = source.read()
    os.waitpid(pid, 0)
    return pickle.loads(answer) if answer else None


def end_after(seconds: float) -> None:
    """End this process after a while, in the midst of whatever it does: a drawn call may never end."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, LEAST))


def leave() -> None:
    """End a forked child without running exit handlers that belong to its parent."""
    failed = sys.exc_info()[0] is not None
    if failed:
        traceback.print_exc()
    flush()
    os._exit(1 if failed else 0)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Drop what is written to stdout and stderr inside the block."""
    flush()
    saved = {stream: os.dup(stream) for stream in (1, 2)}
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
    """Empty the buffers of what the user's code printed, so that no fork prints it again."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            if stream is not None:  # as in a process without a console
                stream.flush()


def too_slow(timeout: float) -> UserCodeError:
    return UserCodeError(f"your code did not finish within {timeout:g} s and was stopped", hint=SLOW_HINT)


def ended_badly(code: int) -> UserCodeError:
    """How a process ended without an answer, from its return code as `subprocess` gives it."""
    if code < 0:
        return UserCodeError(f"your code crashed its process ({signal.Signals(-code).name})")
    return UserCodeError(f"your code ended its process with exit status {code}")
