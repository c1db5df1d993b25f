"""The zygote on the tool's side: the process with torch imported, from which sessions are forked."""

import contextlib
import os
import pickle
import signal
import socket
import subprocess
import threading
import time
from typing import Any

from pdt_annotate.interpreters.interpreter import Interpreter, find_interpreter
from pdt_annotate.processes.fork import CAN_FORK, GRACE
from pdt_annotate.processes.session import ServedSession, Session, SpawnedSession, Worker, read_greeting
from pdt_annotate.processes.wire import UNFORKABLE, Channel, Reply, Task, converter
from pdt_annotate.values.budget import Timing, add_up
from pdt_annotate.values.errors import UserError

PATIENCE = 60.0  # seconds to import packages that were imported successfully before


class Zygote:
    """A process with torch imported, from which sessions are forked. A context manager: leaving it ends every child.

    A task that takes longer than `timeout` seconds is killed. All output goes to the file descriptor `output`. The
    user's code runs in `interpreter`, by default our own.
    """

    def __init__(self, timeout: float, output: int = 2, interpreter: Interpreter | None = None) -> None:
        self.timeout = timeout
        self.interpreter = interpreter or find_interpreter()
        self.sessions: list[Session] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._connections: list[Channel] = []  # to the zygotes; each but the first has imported libraries
        self._tried: set[str] = set()
        self._greeted: set[Channel] = set()
        self._output = output
        self._lock = threading.Lock()
        self._spare: Worker | None = None
        self._repeats = False  # whether every task makes its session's state again
        if not CAN_FORK:
            self._spare = Worker(self.interpreter, output)
            return
        ours, theirs = socket.socketpair()
        with theirs:
            serve = f"from pdt_annotate.processes.server import main; main({theirs.fileno()})"
            # A separate session: Ctrl-C reaches only the tool, which then ends its children in order.
            self._process = subprocess.Popen(
                self.interpreter.command(serve),
                pass_fds=[theirs.fileno()],
                stdout=output,
                stderr=output,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._connections = [Channel(ours)]
        converter()  # made while the zygote imports torch

    def session(
        self, setup: str, *args: Any, heard: bool = False, with_libraries: bool = False, **flags: Any
    ) -> Session:
        """Fork a session that has run the task `setup`, whose result is the first argument of every later task.

        If `with_libraries`, fork it from the process that has imported libraries, if `import_libraries` made one and
        it imported them in time. Raises UserError if torch cannot be imported or the setup raised it; and UserCodeError
        if the setup crashed, exited or took longer than the timeout.
        """
        task = Task(setup, args, flags, heard)
        connection = self._ready(with_libraries=with_libraries)
        begun = time.monotonic()
        session: Session
        if connection is not None:
            try:
                connection.send(pickle.dumps((task, self.timeout, self._repeats)))
                session = ServedSession(connection.receive_end(), self.timeout)
            except OSError as gone:
                hint = "it may have been killed for lack of memory"
                raise UserError("the process that imports torch has ended unexpectedly", hint=hint) from gone
            self.sessions.append(session)  # before it answers, so that it can be interrupted and ends with the others
            if Reply.read(session.receive()).unwrap() == UNFORKABLE:
                self._repeats = True
                session.close()
                session.await_end(time.monotonic() + GRACE)  # so that its memory on the device is free
                return self.session(setup, *args, with_libraries=with_libraries, **flags)  # its output was heard once
        else:
            session = SpawnedSession(task, self.timeout, self._take_worker)
            self.sessions.append(session)
        seconds = time.monotonic() - begun
        if self._repeats:  # every task makes the state first
            session.timeout += round(seconds, 1)
        session.asked.append(Timing(setup.partition(":")[2], seconds))
        return session

    def _take_worker(self) -> Worker:
        """The spare worker; a new one begins to import torch."""
        with self._lock:
            taken, self._spare = self._spare, Worker(self.interpreter, self._output)
        assert taken is not None
        return taken

    @property
    def asked(self) -> tuple[Timing, ...]:
        """The setups and tasks of all sessions, and how long they took."""
        return add_up(timing for session in self.sessions for timing in session.asked)

    def end_sessions(self) -> None:
        for session in self.sessions:
            session.close()
        deadline = time.monotonic() + GRACE
        for session in self.sessions:
            session.await_end(deadline)
        self.sessions.clear()

    def import_libraries(self, modules: tuple[str, ...]) -> None:
        """Begin to import modules in a second zygote. The first session that is forked from it waits for that.

        If there is one, a further one is forked from it, and takes its place. No module is tried twice.
        """
        connection, new = self._ready(), tuple(name for name in modules if name not in self._tried)
        self._tried.update(new)
        if connection is not None and new:
            connection.send(pickle.dumps((new, self.timeout, False)))
            self._connections.append(connection.receive_end())

    @property
    def has_libraries(self) -> bool:
        return len(self._connections) > 1

    def _ready(self, *, with_libraries: bool = True) -> Channel | None:
        """The zygote to fork from; the one before it if it did not import its libraries, or not in time."""
        while self.has_libraries and with_libraries and self._connections[-1] not in self._greeted:
            with contextlib.suppress(TimeoutError):
                if self._connections[-1].receive(time.monotonic() + PATIENCE):
                    self._greeted.add(self._connections[-1])
                    break
            self._connections.pop().close()
        if not self._connections:
            return None
        if self._connections[0] not in self._greeted:
            read_greeting(self._connections[0].receive(), self.interpreter)
            self._greeted.add(self._connections[0])
        return self._connections[-1 if with_libraries else 0]

    def interrupt(self) -> None:
        """Make any call that waits for a child fail at once. Called from another thread."""
        for connection in self._connections:
            connection.cut()
        for session in self.sessions:
            session.interrupt()

    def __enter__(self) -> "Zygote":
        return self

    def __exit__(self, *raised: object) -> None:
        if self._spare is not None:
            self._spare.end()
        self.end_sessions()
        for connection in self._connections:
            connection.close()
        if self._process is not None:  # it has no state worth keeping
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
