"""Sessions on the tool's side: each has run its setup, and runs every task from the state that this left."""

import contextlib
import os
import pickle
import queue
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pdt_annotate.interpreters.interpreter import Interpreter
from pdt_annotate.processes import process_tree
from pdt_annotate.processes.fork import ENDING, GRACE, too_slow
from pdt_annotate.processes.server import begin_fork, serving
from pdt_annotate.processes.supervisor import TIMEOUT, fork_session, tell_end
from pdt_annotate.processes.wire import MARK, UNFORKABLE, Channel, Reply, Task, read_message, write_message
from pdt_annotate.values.budget import Timing
from pdt_annotate.values.errors import UserCodeError, UserError

GONE = "the process that runs your code has ended unexpectedly"
SPAWNED = "from pdt_annotate.processes.server import main_spawned; main_spawned()"
NEW_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Ctrl-C reaches the tool, which then ends its children
LINE = 2**16  # bytes to read at once of output that may have no lines


class Session:
    """A state that a setup left, and on which tasks run. `timeout` is in seconds, for each task."""

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self.asked: list[Timing] = []

    def run(self, task: str, *args: Any, gives: Any = Any, heard: bool = False, **flags: Any) -> Any:
        """Run one task (see `Task`) in a fresh process; return its result, of type `gives`. `tasks` adds types.

        Raises `UserCodeError` if the child crashed, exited or took longer than the timeout.
        """
        begun = time.monotonic()
        answer = self._ask(Task(task, args, flags, heard))
        self.asked.append(Timing(task.partition(":")[2], time.monotonic() - begun))
        return Reply.read(answer, gives).unwrap()

    def _ask(self, task: Task) -> bytes:
        raise NotImplementedError

    def interrupt(self) -> None:
        """Make a call that waits for an answer fail at once. Called from another thread."""

    def close(self) -> None:
        """End the session, with any task that runs."""

    def await_end(self, deadline: float) -> None:
        """After `close`, wait until all processes of the session have ended."""


class ServedSession(Session):
    """A session in a process that forks for every task. A supervisor is at the other end of the channel."""

    def __init__(self, channel: Channel, timeout: float) -> None:
        super().__init__(timeout)
        self._channel = channel
        self._asking = threading.Lock()

    def _ask(self, task: Task) -> bytes:
        with self._asking:
            try:
                self._channel.send(TIMEOUT.pack(self.timeout) + pickle.dumps(task))
            except OSError as gone:
                raise UserCodeError(GONE) from gone
            return self.receive()

    def receive(self) -> bytes:
        """The next answer; the first is the reply to the setup."""
        try:  # the supervisor watches the time; we wait longer, in case it hangs itself
            answer = self._channel.receive(time.monotonic() + self.timeout + GRACE)
        except TimeoutError:
            raise too_slow(self.timeout) from None
        if not answer:
            raise UserCodeError(GONE)
        return answer

    def interrupt(self) -> None:
        self._channel.cut()

    def close(self) -> None:
        self._channel.cut(socket.SHUT_WR)

    def await_end(self, deadline: float) -> None:
        self._channel.await_end(deadline)
        self._channel.close()


class ForkedSession(ServedSession):
    """A session in a fork of this process, for a live object, which no other process can import.

    `make` returns the state that tasks start from. It runs in the fork, so that this process does not change. Raises
    its `UserError`, and `UserCodeError` if it crashed, exited or took longer than the timeout.
    """

    def __init__(self, make: Callable[[], Any], timeout: float) -> None:
        self._opened: list[int] = []
        for descriptor in range(3):
            try:
                os.fstat(descriptor)
            except OSError:  # a daemon has closed it; no other file may get its number
                self._opened.append(os.open(os.devnull, os.O_RDWR))
        if self._open(make, timeout, repeats=False) == UNFORKABLE:
            self._end()
            self._open(make, timeout, repeats=True)

    def _open(self, make: Callable[[], Any], timeout: float, *, repeats: bool) -> Any:
        self._child, channel = fork_session(begin_fork, serving(make, False, repeats), timeout)
        super().__init__(channel, timeout)
        try:
            return Reply.read(self.receive()).unwrap()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._end()
        while self._opened:
            os.close(self._opened.pop())

    def _end(self) -> None:
        super().close()
        self.await_end(time.monotonic() + GRACE)
        # Wait for it to end, because only it knows the forks that it made; kill it after a while.
        deadline = time.monotonic() + GRACE
        while self._child.wait(os.WNOHANG) is None:
            if time.monotonic() > deadline:
                process_tree.kill(self._child.pid)
            time.sleep(ENDING)


class Worker:
    """A process that imports torch, runs a setup, then a task on its state. The descriptor `output` gets its output."""

    def __init__(self, interpreter: Interpreter, output: int) -> None:
        self.interpreter = interpreter
        self._has_ended = False
        self._process = subprocess.Popen(
            interpreter.command(SPAWNED),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            start_new_session=True,
            creationflags=NEW_GROUP,
        )
        self.replies: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None and answers is not None
        with contextlib.suppress(OSError, ValueError), asked, answers:  # it has ended
            while (line := answers.readline(LINE)) and not line.endswith(MARK):
                pass
            while reply := read_message(answers.read):
                self.replies.put(reply)
            self.replies.put(b"")

    def run(self, task: Task, timeout: float) -> bytes:
        """The encoded reply to the setup, and then to the task, each within `timeout` seconds."""
        deadline = time.monotonic() + timeout
        threading.Thread(target=self._send, args=(pickle.dumps(task),), daemon=True).start()
        try:
            if reply := self.replies.get(timeout=timeout):
                return reply
            return tell_end(self._process.wait(max(0.0, deadline - time.monotonic())))
        except (queue.Empty, subprocess.TimeoutExpired):
            raise too_slow(timeout) from None

    def _send(self, message: bytes) -> None:
        """Send a message; blocks as long as the other end does not read."""
        with contextlib.suppress(OSError, ValueError):  # it has ended
            assert self._process.stdin is not None
            write_message(self._process.stdin, message)

    def end(self) -> None:
        """Kill it, with the processes that it started if the platform can; a call that waits gets no answer."""
        if self._has_ended:
            return  # another process may have its number by now
        self._has_ended = True
        if self._process.poll() is None:
            process_tree.end_tree(self._process.pid)
        self._process.kill()
        self._process.wait()


def read_greeting(greeting: bytes, interpreter: Interpreter) -> None:
    """Read the reply of a process that imports torch; raises `UserError` if it could not, or ended before."""
    if not greeting:
        hint = f"check that `{interpreter.executable} -c 'import torch'` works"
        raise UserError("the process that imports torch ended before it was ready", hint=hint)
    Reply.read(greeting).unwrap()


class SpawnedSession(Session):
    """Without fork: every task runs in a new interpreter, which repeats the setup. `take` returns an interpreter."""

    def __init__(self, setup: Task, timeout: float, take: Callable[[], Worker]) -> None:
        super().__init__(timeout)
        self._setup = setup
        self._take = take
        self._lock = threading.Lock()
        self._working: list[Worker] = []
        self._ready: Worker | None = self._begin(setup)

    def _begin(self, setup: Task) -> Worker:
        worker = self._take()
        self._working.append(worker)
        try:
            read_greeting(worker.replies.get(), worker.interpreter)
            Reply.read(worker.run(setup, self.timeout)).unwrap()
        except BaseException:
            worker.end()
            raise
        return worker

    def _ask(self, task: Task) -> bytes:
        with self._lock:
            ready, self._ready = self._ready, None
        worker = ready or self._begin(replace(self._setup, heard=False))  # its output was heard once
        try:
            return worker.run(task, self.timeout)
        finally:
            worker.end()

    def close(self) -> None:
        for worker in self._working:
            worker.end()

    interrupt = close
