"""Sessions, as the tool sees them: each has run its setup, and runs every task from the state that this left."""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from typing import Any

from pdt_annotate.processes.server import begin_fork, fork_session
from pdt_annotate.processes.spawned import Worker, Workers
from pdt_annotate.processes.wire import Reply, Task, cut
from pdt_annotate.values.errors import UserCodeError
from pdt_annotate.values.progress import Timing


class Session:
    """Something that has run its setup, and runs tasks. `timeout` is in seconds, for each of them."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self.asked: list[Timing] = []

    def run(self, task: str, *args: Any, heard: bool = False, **flags: Any) -> Any:
        """Run one task, as `Task` has it, in a fresh process and return its result; `tasks` does so with types.

        Raises:
            UserCodeError: the child crashed, exited or took longer than the timeout.
        """
        begun = time.monotonic()
        reply = self._ask(Task(task, args, flags, heard))
        self.asked.append(Timing(task.partition(":")[2], time.monotonic() - begun))
        return reply.unwrap()

    def _ask(self, task: Task) -> Reply:
        raise NotImplementedError

    def interrupt(self) -> None:
        """Let whatever waits for an answer fail at once: for a thread other than the one that waits."""

    def close(self) -> None:
        """End it; what it still runs is lost."""


class ServedSession(Session):
    """A process at the other end of a connection, which forks for every task."""

    def __init__(self, connection: Connection[Any, Any], timeout: float) -> None:
        super().__init__(timeout)
        self._connection = connection
        self._asking = threading.Lock()

    def _ask(self, task: Task) -> Reply:
        with self._asking:
            try:
                self._connection.send_bytes(pickle.dumps((task, self.timeout)))
                reply: Reply = pickle.loads(self._connection.recv_bytes())
            except (EOFError, OSError) as gone:
                raise UserCodeError("the process that runs your code is gone") from gone
        return reply

    def interrupt(self) -> None:
        cut(self._connection)

    def close(self) -> None:
        self._connection.close()


class ForkedSession(ServedSession):
    """A session in a fork of this very process, for what cannot be imported anew: a live object. A context manager.

    Args:
        make: what the session starts from; runs in the fork, so that this process stays as it was.
        timeout: seconds that the setup, and then each task, may take.

    Raises:
        UserError: whatever `make` raised of our errors.
        UserCodeError: `make` crashed, exited or took longer than the timeout.
    """

    def __init__(self, make: Callable[[], Any], timeout: float) -> None:
        self._opened = _open_standard_streams()
        self._child, connection, ready = fork_session(begin_fork, make, heard=False)
        super().__init__(connection, timeout)
        try:
            reply: Reply = pickle.loads(self._child.await_answer(ready, None, timeout))
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
        self._child.end_in_time()
        while self._opened:
            os.close(self._opened.pop())


class SpawnedSession(Session):
    """Where there is no fork: every task in a new interpreter, which repeats the setup.

    Raises:
        UserError: torch cannot be imported; or whatever the setup raised of our errors.
        UserCodeError: the setup crashed, exited or took longer than the timeout.
    """

    def __init__(self, setup: Task, timeout: float, workers: Workers) -> None:
        super().__init__(timeout)
        self._setup = setup
        self._workers = workers
        self._lock = threading.Lock()
        self._working: list[Worker] = []
        self._ready: Worker | None = self._begin(setup)

    def _begin(self, setup: Task) -> Worker:
        """A worker that has run the setup."""
        worker = self._workers.take()
        self._working.append(worker)
        try:
            worker.greet()
            worker.run(setup, self.timeout).unwrap()
        except BaseException:
            worker.end()
            raise
        return worker

    def _ask(self, task: Task) -> Reply:
        with self._lock:
            ready, self._ready = self._ready, None
        worker = ready or self._begin(replace(self._setup, heard=False))  # what it prints was heard once
        try:
            return worker.run(task, self.timeout)
        finally:
            worker.end()

    def interrupt(self) -> None:
        self.close()

    def close(self) -> None:
        for worker in self._working:
            worker.end()


def _open_standard_streams() -> list[int]:
    """Open those of descriptors 0 to 2 that a daemon has closed, so that nothing else gets their numbers."""
    opened: list[int] = []
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            opened.append(os.open(os.devnull, os.O_RDWR))
    return opened
