"""Sessions, as the tool sees them: each has run its setup, and runs every task from the state that this left."""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pdt_annotate.processes.channel import Channel
from pdt_annotate.processes.fork import GRACE, too_slow
from pdt_annotate.processes.server import begin_fork, serving
from pdt_annotate.processes.spawned import Worker, Workers
from pdt_annotate.processes.supervisor import TIMEOUT, fork_session
from pdt_annotate.processes.wire import Reply, Task
from pdt_annotate.values.errors import UserCodeError
from pdt_annotate.values.progress import Timing

GONE = "the process that runs your code is gone"


class Session:
    """Something that has run its setup, and runs tasks. `timeout` is in seconds, for each of them."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self.asked: list[Timing] = []

    def run(self, task: str, *args: Any, gives: Any = Any, heard: bool = False, **flags: Any) -> Any:
        """Run one task, as `Task` has it, in a fresh process and return its result; `tasks` does so with types.

        Args:
            gives: the type of the result.

        Raises:
            UserCodeError: the child crashed, exited or took longer than the timeout.
        """
        begun = time.monotonic()
        answer = self._ask(Task(task, args, flags, heard))
        self.asked.append(Timing(task.partition(":")[2], time.monotonic() - begun))
        return Reply.read(answer, gives).unwrap()

    def _ask(self, task: Task) -> bytes:
        """What a task answers, as it came."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Let whatever waits for an answer fail at once: for a thread other than the one that waits."""

    def close(self) -> None:
        """End it; what it still runs is lost."""

    def await_end(self, deadline: float) -> None:
        """Wait until all that it started has ended, too, once it was closed."""


class ServedSession(Session):
    """A process at the other end of a channel, which forks for every task, and one that watches it in between."""

    def __init__(self, channel: Channel, timeout: float) -> None:
        super().__init__(timeout)
        self._channel = channel
        self._asking = threading.Lock()

    def greet(self) -> None:
        """Wait until it has run its setup; raise what that raised of our errors."""
        Reply.read(self._receive()).unwrap()

    def _ask(self, task: Task) -> bytes:
        with self._asking:
            try:
                self._channel.send(TIMEOUT.pack(self.timeout) + pickle.dumps(task))
            except OSError as gone:
                raise UserCodeError(GONE) from gone
            return self._receive()

    def _receive(self) -> bytes:
        """The next answer. Who watches says when time is up; that it comes to nothing, we see ourselves."""
        try:
            answer = self._channel.receive(time.monotonic() + self.timeout + GRACE)
        except TimeoutError:
            return Reply(error=too_slow(self.timeout)).encoded()
        if not answer:
            raise UserCodeError(GONE)
        return answer

    def interrupt(self) -> None:
        self._channel.cut()

    def close(self) -> None:
        self._channel.say_no_more()

    def await_end(self, deadline: float) -> None:
        self._channel.await_end(deadline)
        self._channel.close()


class ForkedSession(ServedSession):
    """A session in a fork of this very process, for what cannot be imported anew: a live object. A context manager.

    Args:
        make: what the session starts from; runs in the fork, so that this process stays as it was.

    Raises:
        UserError: whatever `make` raised of our errors.
        UserCodeError: `make` crashed, exited or took longer than the timeout.
    """

    def __init__(self, make: Callable[[], Any], timeout: float) -> None:
        self._opened: list[int] = []
        for descriptor in range(3):
            try:
                os.fstat(descriptor)
            except OSError:  # a daemon has closed it; nothing else is to get its number
                self._opened.append(os.open(os.devnull, os.O_RDWR))
        self._child, channel = fork_session(begin_fork, serving(make, False), timeout)
        super().__init__(channel, timeout)
        try:
            self.greet()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> ForkedSession:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def close(self) -> None:
        super().close()
        self.await_end(time.monotonic() + GRACE)
        self._child.end_in_time()
        while self._opened:
            os.close(self._opened.pop())


class SpawnedSession(Session):
    """Where there is no fork: every task in a new interpreter, which repeats the setup."""

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
            Reply.read(worker.run(setup, self.timeout)).unwrap()
        except BaseException:
            worker.end()
            raise
        return worker

    def _ask(self, task: Task) -> bytes:
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
