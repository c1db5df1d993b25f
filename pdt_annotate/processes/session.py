"""Sessions: processes that have run their setup, each task one fork of them."""

from __future__ import annotations

import os
import pickle
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from pdt_annotate.processes.fork import CAN_FORK, ENDING, GRACE, Fork, Reply, await_answer, describe_end, too_slow
from pdt_annotate.processes.server import begin_fork, serve_session
from pdt_annotate.values.errors import UserCodeError, UserError

NO_FORK_HINT = "annotate the source with the command line instead: it starts new interpreters"


class Session:
    """A process that has run its setup; each `run` is one fork of it."""

    def __init__(
        self, connection: Connection[Any, Any] | None, timeout: float, setup: tuple[str, tuple[Any, ...]]
    ) -> None:
        self.timeout = timeout
        self._connection = connection
        self._setup = setup

    def run(self, task: str, *args: Any, heard: bool = False) -> Any:
        """Run one task in a fresh fork and return its result.

        Args:
            task: the task.
            args: its arguments, behind the setup's result.
            heard: what it prints goes to our stderr.

        Raises:
            UserCodeError: the child crashed, exited or took longer than the timeout.
        """
        if self._connection is None:
            return _run_spawned((self._setup, task, args, heard), self.timeout).unwrap()
        try:
            self._connection.send_bytes(pickle.dumps((task, args, self.timeout, heard)))
            reply: Reply = pickle.loads(self._connection.recv_bytes())
        except (EOFError, OSError) as gone:
            raise UserCodeError("the process that runs your code is gone") from gone
        return reply.unwrap()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


class ForkedSession(Session):
    """A session in a fork of this very process, for what cannot be imported anew: a live object.

    Args:
        make: what the session starts from; runs in the fork, so that this process stays as it was.
        timeout: seconds that the setup, and then each task, may take.

    Raises:
        UserError: the platform has no fork; or whatever `make` raised of our errors.
        UserCodeError: `make` crashed, exited or took longer than the timeout.
    """

    def __init__(self, make: Callable[[], Any], timeout: float) -> None:
        if not CAN_FORK:
            raise UserError("this platform cannot fork a process, which live objects need", hint=NO_FORK_HINT)
        self._opened = _open_standard_streams()
        ours, theirs = socket.socketpair()
        ready_read, ready_write = socket.socketpair()

        def serve() -> None:
            for end in (ours, ready_read):
                end.close()
            begin_fork()
            serve_session(Connection(theirs.detach()), Connection(ready_write.detach()), make, heard=False)

        self._child = Fork(serve)
        theirs.close()
        ready_write.close()
        super().__init__(Connection(ours.detach()), timeout, ("", ()))
        try:
            reply: Reply = pickle.loads(await_answer(self._child, Connection(ready_read.detach()), None, timeout))
            reply.unwrap()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ForkedSession:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        super().close()
        # It ends by itself, with the forks that it made; only it knows them.
        deadline = time.monotonic() + GRACE
        while not self._child.has_ended() and time.monotonic() < deadline:
            time.sleep(ENDING)
        self._child.end()
        while self._opened:
            os.close(self._opened.pop())


def _open_standard_streams() -> list[int]:
    """Open those of descriptors 0 to 2 that a daemon has closed, so that nothing else gets their numbers."""
    opened: list[int] = []
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            opened.append(os.open(os.devnull, os.O_RDWR))
    return opened


def _run_spawned(work: tuple[Any, ...], timeout: float) -> Reply:
    """The same as a fork of a session, in a new interpreter."""
    with tempfile.TemporaryDirectory(prefix="pdt-annotate-") as folder:
        request, answer = os.path.join(folder, "request"), os.path.join(folder, "answer")
        with open(request, "wb") as out:
            pickle.dump(work, out)
        command = [
            sys.executable,
            "-c",
            "from pdt_annotate.processes.server import main_once; main_once()",
            request,
            answer,
        ]
        try:
            done = subprocess.run(command, stdout=2, stdin=subprocess.DEVNULL, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return Reply(error=too_slow(timeout))
        if not os.path.exists(answer):
            return Reply(error=UserCodeError(describe_end(done.returncode)))
        with open(answer, "rb") as file:
            return pickle.load(file)  # type: ignore[no-any-return]
