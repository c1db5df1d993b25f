"""New interpreters for tasks, where there is no fork: the next one imports torch while another works."""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from typing import IO

from pdt_annotate.interpreters.interpreter import Interpreter
from pdt_annotate.processes import tree
from pdt_annotate.processes.channel import LENGTH, read_message
from pdt_annotate.processes.fork import too_slow
from pdt_annotate.processes.notes import Last, Notes
from pdt_annotate.processes.supervisor import tell_end
from pdt_annotate.processes.wire import MARK, Reply, Task
from pdt_annotate.values.errors import UserError

SPAWNED = "from pdt_annotate.processes.server import main_spawned; main_spawned({descriptor})"

NEW_GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Ctrl-C reaches the tool, which then ends its children
LINE = 2**16  # bytes that are read at once of what may have no lines


class Worker:
    """A process that imports torch, and then runs a setup, and one task on what that has left.

    Args:
        interpreter: the Python that it runs.
        output: the file descriptor that everything is printed to.
    """

    def __init__(self, interpreter: Interpreter, output: int) -> None:
        self._interpreter = interpreter
        self._output = output
        self._has_ended = False
        self._notes = Notes() if os.name == "posix" else None  # elsewhere no descriptor is passed on
        passed = [self._notes.fileno()] if self._notes else []
        self._process = subprocess.Popen(
            interpreter.command(SPAWNED.format(descriptor=[*passed, -1][0])),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            start_new_session=True,
            creationflags=NEW_GROUP,
            pass_fds=passed,
        )
        self._replies: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        _in_thread(self._listen)

    def greet(self) -> None:
        """Wait until it has imported torch."""
        read_greeting(self._replies.get(), self._interpreter)

    def run(self, task: Task, timeout: float) -> bytes:
        """Run the setup, and then the task, for so many seconds at most; what it answers, as it came."""
        deadline = time.monotonic() + timeout
        _in_thread(self._send, task)  # which takes as long as the other end does not read
        try:
            reply = self._replies.get(timeout=timeout)
            if reply:
                return reply
            code = self._process.wait(max(0.0, deadline - time.monotonic()))
            return tell_end(code, self._notes, self._output)
        except (queue.Empty, subprocess.TimeoutExpired):
            last = self._notes.ask(self._process.pid) if self._notes else Last()
            return Reply(error=too_slow(timeout, last)).encoded()

    def end(self) -> None:
        """Kill it, with what it started where the platform can; whoever waits for an answer waits no longer."""
        if self._has_ended:
            return  # its number may be another's by now
        self._has_ended = True
        if self._process.poll() is None:
            tree.end_tree(self._process.pid)
        else:
            tree.kill_group(self._process.pid)
        self._process.kill()
        self._process.wait()
        if self._notes:
            self._notes.close()

    def _send(self, task: Task) -> None:
        with contextlib.suppress(OSError, ValueError):  # it has ended
            pipe = _open(self._process.stdin)
            asked = pickle.dumps(task)
            pipe.write(LENGTH.pack(len(asked)) + asked)
            pipe.flush()

    def _listen(self) -> None:
        with _open(self._process.stdout) as pipe, _open(self._process.stdin):
            for reply in _replies(pipe):
                self._replies.put(reply)
            self._replies.put(b"")


def _replies(pipe: IO[bytes]) -> Iterator[bytes]:
    """What is answered, behind what was printed before."""
    while (line := pipe.readline(LINE)) and not line.endswith(MARK):
        pass
    with contextlib.suppress(OSError, ValueError):  # it has ended
        while reply := read_message(pipe.read):
            yield reply


def _open(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def _in_thread(work: Callable[..., object], *args: object) -> None:
    threading.Thread(target=work, args=args, daemon=True).start()


class Workers:
    """Where workers come from: one is kept ready. All print to the file descriptor `output`."""

    def __init__(self, interpreter: Interpreter, output: int) -> None:
        self._start = functools.partial(Worker, interpreter, output)
        self._lock = threading.Lock()
        self._next = self._start()

    def take(self) -> Worker:
        """The one that is ready, or soon; another begins to get so."""
        with self._lock:
            taken, self._next = self._next, self._start()
        return taken

    def end(self) -> None:
        """End the one that nobody took."""
        self._next.end()


def read_greeting(greeting: bytes, interpreter: Interpreter) -> None:
    """Read what a process says that has imported torch.

    Raises:
        UserError: it could not, or ended before.
    """
    if not greeting:
        hint = f"does `{interpreter.executable} -c 'import torch'` work?"
        raise UserError("the process that imports torch ended before it was ready", hint=hint)
    Reply.read(greeting).unwrap()
