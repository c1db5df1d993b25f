"""The zygote, as the tool sees it: the process with torch imported, from which sessions are forked."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import socket
import subprocess
import sys
from multiprocessing import reduction
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any

from pdt_annotate.processes.fork import CAN_FORK, GRACE
from pdt_annotate.processes.session import ServedSession, Session, SpawnedSession
from pdt_annotate.processes.wire import Reply, Task, cut
from pdt_annotate.values.errors import UserError


class Zygote:
    """A process with torch imported, from which sessions are forked. A context manager: leaving it ends every child.

    Args:
        timeout: seconds that one task may take before its process is killed.
        output: the file descriptor that everything is printed to; our stderr, unless another is given.
    """

    def __init__(self, timeout: float, output: int = 2) -> None:
        self.timeout = timeout
        self._output = output
        self._sessions: list[Session] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection[Any, Any] | None = None
        self._ready = False
        if CAN_FORK:
            self._start()

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-c", f"from pdt_annotate.processes.server import main; main({theirs.fileno()})"]
            # A session of its own: Ctrl-C reaches the tool, which then ends its children in order.
            self._process = subprocess.Popen(
                command,
                pass_fds=[theirs.fileno()],
                stdout=self._output,
                stderr=self._output,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._connection = Connection(ours.detach())

    def session(self, setup: str, *args: Any, heard: bool = False, **flags: Any) -> Session:
        """Fork a session that has run the task `setup`, whose result is the first argument of every later task.

        Args:
            setup: "package.module:function".
            args: its arguments.
            heard: what it prints goes to our stderr.
            flags: its keyword arguments.

        Raises:
            UserError: torch cannot be imported; or whatever the setup raised of our errors.
            UserCodeError: the setup crashed, exited or took longer than the timeout.
        """
        task = Task(setup, args, flags, heard)
        if self._connection is None:
            return SpawnedSession(task, self.timeout)
        if not self._ready:
            _greet(self._connection)
            self._ready = True
        session = ServedSession(_ask_for_session(self._connection, task, self.timeout), self.timeout)
        self._sessions.append(session)
        return session

    def interrupt(self) -> None:
        """Let whatever waits for a child fail at once: for a thread other than the one that waits."""
        if self._connection is not None:
            cut(self._connection)
        for session in self._sessions:
            session.interrupt()

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for session in self._sessions:
            session.close()
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            # After an interrupt the zygote may have a child to end first; otherwise it only holds what can be dropped.
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE if kind is not None and self._ready else 0)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _greet(zygote: Connection[Any, Any]) -> None:
    """Wait until the zygote has imported torch."""
    try:
        reply: Reply = pickle.loads(zygote.recv_bytes())
    except (EOFError, OSError) as gone:
        hint = f"does `{sys.executable} -c 'import torch'` work?"
        raise UserError("the process that imports torch ended before it was ready", hint=hint) from gone
    reply.unwrap()


def _ask_for_session(zygote: Connection[Any, Any], setup: Task, timeout: float) -> Connection[Any, Any]:
    try:
        zygote.send_bytes(pickle.dumps((setup, timeout)))
        session: Connection[Any, Any] = Connection(reduction.recv_handle(zygote))
        reply: Reply = pickle.loads(zygote.recv_bytes())
    except (EOFError, OSError) as gone:
        raise UserError("the process that imports torch is gone", hint="was it killed, for want of memory?") from gone
    reply.unwrap()
    return session
