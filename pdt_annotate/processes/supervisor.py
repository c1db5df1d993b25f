"""The supervisor of a session: a process in which no code of the user's ever runs.

It forks the process that does, passes on requests and answers, and watches the time. It ends all processes below it,
including orphans.
"""

import contextlib
import os
import signal
import struct
import time
from collections.abc import Callable
from multiprocessing import connection

from pdt_annotate.processes import process_tree
from pdt_annotate.processes.fork import ENDING, FAILED, Fork, fork_with, too_slow
from pdt_annotate.processes.notes import NOTHING_KNOWN, Last, Notes
from pdt_annotate.processes.wire import READY, Channel, Reply
from pdt_annotate.values.errors import UserCodeError

TIMEOUT = struct.Struct("!d")
NUMBER = struct.Struct("!cq")
STARTED, ANSWERED = b"S", b"A"  # the first byte of a session's messages: the number of its worker, or an answer
POLL = 0.2  # seconds until a crashed session is noticed, if one of its forks keeps its socket open
RECOVERY = 2.0  # seconds that a session has to notice that we have ended its worker
FAILED_HINT = (
    "does your code replace parts of Python or torch, leave a hook or a timer that raises, "
    "or close file descriptors that it did not open? if not, this is a bug in pdt-annotate: "
    "please report it"
)
Serve = Callable[[Channel, Notes], None]


def fork_session(begin: Callable[[], None], serve: Serve, timeout: float) -> tuple[Fork, Channel]:
    """Fork a supervisor, which forks a session; return the supervisor and the channel to it.

    The supervisor first calls `begin`; `serve` runs the session. The first message is the reply to the session's setup,
    which may take `timeout` seconds. Each request is a timeout, followed by the message to pass on.
    """

    def watch(tool: Channel) -> None:
        begin()
        process_tree.control(process_tree.ADOPT_ORPHANS, 1)
        Supervisor(tool, serve).run(timeout)

    return fork_with(watch)


class Supervisor:
    def __init__(self, tool: Channel, serve: Serve) -> None:
        self._tool = tool
        self._notes = Notes()

        def begin(watch: Channel) -> None:
            process_tree.control(process_tree.SIGNAL_AT_PARENTS_END, signal.SIGKILL)
            self._notes.keep()
            serve(watch, self._notes)

        self._child, self._session = fork_with(begin, tool)
        self._working = 0

    def run(self, timeout: float) -> None:
        try:
            with contextlib.suppress(OSError):
                answer = self._await_answer(timeout)
                self._working = 0
                kept, phase = set(process_tree.children_of(os.getpid())), self._notes.read().phase
                self._tool.send(answer)
                while answer == READY and (request := self._tool.receive()):
                    self._notes.clear(phase)
                    (timeout,) = TIMEOUT.unpack_from(request)
                    with contextlib.suppress(OSError):  # waiting for the answer shows that the session is gone or busy
                        self._session.send(request[TIMEOUT.size :], time.monotonic() + timeout)
                    answered = self._await_answer(timeout)
                    self._working = 0  # it has ended, and another process may have its number by now
                    process_tree.end_below(os.getpid(), kept.__contains__)
                    self._tool.send(answered)
        finally:
            process_tree.end_below(os.getpid())
            for pid in filter(None, (self._child.pid, self._working)):
                process_tree.kill_group(pid)
            self._session.close()
            self._tool.close()

    def _await_answer(self, timeout: float) -> bytes:
        deadline = time.monotonic() + timeout
        session, tool = self._session.fileno(), self._tool.fileno()
        while (left := deadline - time.monotonic()) > 0:
            code = self._child.wait(os.WNOHANG)  # read first: if it has ended, all its messages are there by then
            ready = connection.wait((session, tool), min(left, POLL) if code is None else 0)
            if tool in ready:
                raise ConnectionResetError  # the tool is gone
            message = b""
            if session in ready:
                with contextlib.suppress(TimeoutError):  # it stopped in the middle of a message
                    message = self._session.receive(deadline)
            if message[:1] == STARTED and len(message) == NUMBER.size:
                _, self._working = NUMBER.unpack(message)
            elif message:
                return message[1:]
            elif code is not None:
                return tell_end(code, self._notes.read())
            elif ready:  # the session has closed its end, and is about to end
                time.sleep(ENDING)
        # Time is up: end the worker; if that is the session itself, or it does not notice, end the session.
        last = self._notes.ask(self._working or self._child.pid)
        has_recovered = False
        if self._working:
            process_tree.end_tree(self._working)
            with contextlib.suppress(TimeoutError):
                has_recovered = bool(self._session.receive(time.monotonic() + RECOVERY))
        if not has_recovered:
            process_tree.end_tree(self._child.pid)
        return Reply(error=too_slow(timeout, last)).encoded()


def tell_end(code: int, last: Last = NOTHING_KNOWN) -> bytes:
    """The answer for a process that ended without one, with exit code `code`; prints the stack of a crash."""
    if last.stack:
        with contextlib.suppress(OSError):
            os.write(2, f"{last.stack}\n".encode("ascii", "replace"))
    if last.error:
        message = f"the process that runs your code has failed{last.where}: {last.error}"
        return Reply(error=UserCodeError(message, place=last.place, hint=FAILED_HINT)).encoded()
    # A crash in other code, or an exit of our own, has no line of the user's.
    is_theirs = last.place.file or not (last.stack or code == FAILED)
    who, its = ("your code", " its process") if is_theirs else ("the process that runs your code", "")
    name = f"signal {-code}"
    with contextlib.suppress(ValueError):  # a real-time signal, or none
        name = signal.Signals(-code).name
    how = f"crashed{its} ({name})" if code < 0 else f"ended{its} with exit status {code}"
    hint = FAILED_HINT if code == FAILED and not is_theirs else ""
    return Reply(error=UserCodeError(f"{who} {how}{last.where}", place=last.place, hint=hint)).encoded()
