"""A function in a forked process: its answer, its end, and what it prints."""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from pdt_annotate.values.errors import PdtError, UserCodeError

CAN_FORK = hasattr(os, "fork") and hasattr(socket, "AF_UNIX")
GRACE = 5.0  # seconds in which the zygote may end its children by itself
ENDING = 0.002  # seconds between looks at a fork that is about to end
POLL = 0.2  # seconds until a child that ended without a word is noticed, where one of its own keeps its end open
SLOW_HINT = "raise --timeout, or use smaller example inputs"
UNPICKLABLE = (pickle.PicklingError, TypeError, AttributeError, RecursionError, ValueError)


@dataclass(frozen=True)
class Reply:
    """What a child answers: a value, an error of our tree, or the traceback of an exception that is our bug."""

    value: Any = None
    error: PdtError | None = None
    bug: str = ""

    def unwrap(self) -> Any:
        if self.error is not None:
            raise self.error
        if self.bug:
            raise RuntimeError(f"a task failed in its child process:\n{self.bug}")
        return self.value


READY = pickle.dumps(Reply())


class Fork:
    """A function that runs in a forked process, which leads a process group of its own."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._returncode: int | None = None
        _flush()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.setpgid(0, 0)
                work()
            finally:
                leave()
        # Here too, because nobody knows which of the two runs first.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.setpgid(self._pid, self._pid)

    def has_ended(self) -> bool:
        self._reap(os.WNOHANG)
        return self._returncode is not None

    def describe_end(self) -> str:
        return describe_end(self._returncode or 0)

    def end(self) -> None:
        """Kill the process with whatever it started, and reap it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        self._reap(0)

    def _reap(self, options: int) -> None:
        if self._returncode is None:
            try:
                pid, status = os.waitpid(self._pid, options)
            except ChildProcessError:  # the user's code has told the system to reap children unasked
                self._returncode = 0
            else:
                self._returncode = os.waitstatus_to_exitcode(status) if pid else None


def run_task(task: Callable[[], Any], heard: bool) -> Reply:
    try:
        with contextlib.nullcontext() if heard else silence():
            return Reply(value=task())
    except PdtError as error:
        return Reply(error=error)
    except BaseException:
        return Reply(bug=traceback.format_exc())


def pickle_reply(reply: Reply) -> bytes:
    try:
        return pickle.dumps(reply)
    except UNPICKLABLE:
        return pickle.dumps(Reply(bug=traceback.format_exc()))


def leave() -> None:
    """End a forked child without running exit handlers that belong to its parent."""
    failed = sys.exc_info()[0] is not None
    if failed:
        traceback.print_exc()
    _flush()
    os._exit(1 if failed else 0)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Drop what this process, and whatever it starts, writes to stdout and stderr inside the block."""
    _flush()
    saved = {stream: os.dup(stream) for stream in (1, 2)}
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in saved:
        os.dup2(nothing, stream)
    os.close(nothing)
    try:
        yield
    finally:
        _flush()
        for stream, kept in saved.items():
            os.dup2(kept, stream)
            os.close(kept)


def _flush() -> None:
    """Empty the buffers of what the user's code printed, so that no fork prints it again."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            if stream is not None:  # as in a process without a console
                stream.flush()


def find_task(name: str) -> Callable[..., Any]:
    """The function that a task's name stands for."""
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)  # type: ignore[no-any-return]


def await_answer(
    child: Fork, answers: Connection[Any, Any], parent: Connection[Any, Any] | None, timeout: float
) -> bytes:
    """Wait for a child's pickled reply; where none comes, because time is up or the child is dead, make one.

    Where the tool itself, at the other end of `parent`, has gone, this process ends, and its child with it.
    """
    deadline = time.monotonic() + timeout
    watched = [answers] if parent is None else [answers, parent]
    with answers:
        while (left := deadline - time.monotonic()) > 0:
            ready = wait(watched, min(left, POLL))
            if parent in ready:
                child.end()
                os.killpg(0, signal.SIGKILL)
            ended = child.has_ended()
            if answers in ready or (ended and answers in watched and answers.poll()):
                answer = receive(answers)
                if answer:
                    return answer
                watched.remove(answers)
            if ended:
                return pickle_reply(Reply(error=UserCodeError(child.describe_end())))
    return pickle_reply(Reply(error=too_slow(timeout)))


def receive(connection: Connection[Any, Any]) -> bytes:
    """The next message; empty where the other end is closed."""
    try:
        return connection.recv_bytes()
    except (EOFError, OSError):
        return b""


def too_slow(timeout: float) -> UserCodeError:
    return UserCodeError(f"your code did not finish within {timeout:g} s and was stopped", hint=SLOW_HINT)


def describe_end(code: int) -> str:
    """How a process ended, from its return code as `subprocess` gives it."""
    if code < 0:
        return f"your code crashed its process ({signal.Signals(-code).name})"
    return f"your code ended its process with exit status {code}"
