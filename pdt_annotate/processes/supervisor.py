"""Who watches a session: a process in which no code of the user's ever runs.

It forks the one that does, passes on to it what the tool asks and back what it answers, and knows when time is up. It
ends with all that is below it, however far that went away from its parents.
"""

from __future__ import annotations

import contextlib
import os
import struct
import time
from collections.abc import Callable

from pdt_annotate.processes import tree
from pdt_annotate.processes.channel import Channel, wait_for
from pdt_annotate.processes.fork import ENDING, Fork, ended_badly, fork_with, too_slow
from pdt_annotate.processes.notes import Last, Notes
from pdt_annotate.processes.wire import READY, Reply

TIMEOUT = struct.Struct("!d")
NUMBER = struct.Struct("!q")
STARTED, ANSWERED = b"S", b"A"  # what a session says: the number of the process that works, or the answer
POLL = 0.2  # seconds until a child that ended without a word is noticed, where one of its own keeps its end open
RECOVERY = 2.0  # seconds in which a session has to notice that we have ended what worked for it
Serve = Callable[[Channel, Notes], None]


def fork_session(begin: Callable[[], None], serve: Serve, timeout: float) -> tuple[Fork, Channel]:
    """Fork a process that watches another, which serves; and the end over which it is asked.

    It says first how making the session went; each request is a timeout, and then what is passed on.

    Args:
        begin: what is to be done there first.
        serve: what the process that is watched does, with its end and with where it keeps notes.
        timeout: seconds until it has to have answered for the first time.
    """

    def watch(tool: Channel) -> None:
        begin()
        tree.adopt_orphans()
        Supervisor(tool, serve).run(timeout)

    return fork_with(watch)


class Gone(Exception):
    """There is nobody any more to answer to, or nobody who answers."""


class Supervisor:
    def __init__(self, tool: Channel, serve: Serve) -> None:
        self._tool = tool
        self._notes = Notes()

        def begin(watch: Channel) -> None:
            tree.end_with_parent()
            self._notes.keep()
            serve(watch, self._notes)

        self._child, self._session = fork_with(begin, tool)
        self._working = 0
        self._phase = ""
        self._kept: set[int] = set()

    def run(self, timeout: float) -> None:
        try:
            with contextlib.suppress(Gone, OSError):
                self._serve(timeout)
        finally:
            tree.end_below(os.getpid())
            for pid in filter(None, (self._child.pid, self._working)):
                tree.kill_group(pid)
            self._session.close()
            self._tool.close()

    def _serve(self, timeout: float) -> None:
        answer = self._await_answer(timeout)
        self._kept = set(tree.children_of(os.getpid()))
        self._phase = self._notes.read().phase
        self._tool.send(answer)
        while answer == READY and (request := self._tool.receive()):
            self._tool.send(self._ask(request))

    def _ask(self, request: bytes) -> bytes:
        (timeout,) = TIMEOUT.unpack(request[: TIMEOUT.size])
        self._notes.clear(self._phase)
        self._working = 0
        with contextlib.suppress(OSError):  # that nobody is there, or in time, shows when an answer is awaited
            self._session.send(request[TIMEOUT.size :], time.monotonic() + timeout)
        answer = self._await_answer(timeout)
        self._working = 0  # it has ended, and its number may be another's by now
        tree.end_below(os.getpid(), self._kept.__contains__)
        return answer

    def _await_answer(self, timeout: float) -> bytes:
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            ready = wait_for((self._session, self._tool), min(left, POLL))
            if self._tool in ready:
                raise Gone
            code = self._child.returncode
            if self._session in ready or (code is not None and wait_for((self._session,), 0)):
                try:
                    answer = self._read(deadline)
                except TimeoutError:
                    break
                if answer:
                    return answer
            elif code is not None:
                return tell_end(code, self._notes)
        return self._stop(timeout)

    def _read(self, deadline: float) -> bytes:
        """What a message of the session comes to; empty where there is more to wait for."""
        message = self._session.receive(deadline)
        if not message:  # it has closed its end, or has ended
            while (code := self._child.returncode) is None:
                if time.monotonic() > deadline:
                    raise TimeoutError
                time.sleep(ENDING)
            return tell_end(code, self._notes)
        kind, said = message[:1], message[1:]
        if kind == STARTED and len(said) == NUMBER.size:
            (self._working,) = NUMBER.unpack(said)
            return b""
        return said

    def _stop(self, timeout: float) -> bytes:
        """Time is up: end what works; where that is the session itself, or it does not notice, end that."""
        last = self._notes.ask(self._working or self._child.pid)
        has_recovered = False
        if self._working:
            tree.end_tree(self._working)
            with contextlib.suppress(TimeoutError):
                has_recovered = bool(self._session.receive(time.monotonic() + RECOVERY))
        if not has_recovered:
            tree.end_tree(self._child.pid)
        return Reply(error=too_slow(timeout, last)).encoded()


def tell_end(code: int, notes: Notes | None, output: int = 2) -> bytes:
    """The answer for a process that has ended without one; where it crashed is printed."""
    last = notes.read() if notes else Last()
    if last.stack:
        with contextlib.suppress(OSError):
            os.write(output, f"{last.stack}\n".encode("ascii", "replace"))
    return Reply(error=ended_badly(code, last)).encoded()
