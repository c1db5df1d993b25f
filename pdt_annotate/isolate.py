"""The forked children in which user code runs; the tool's own process never runs any.

A *zygote* imports torch once and nothing of the user's. A `Session` is a fork of it that has imported the user's
modules and then forks once more for every task, so that each task starts from the same, never-run state and a crash,
a `sys.exit`, an endless loop or a poisoned compiler stays in its child. Where the platform has no fork, every task
gets a new interpreter that repeats the session's setup.

A task is named "package.module:function" and is imported in the child; arguments and results are pickled.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import os
import pickle
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing import reduction
from multiprocessing.connection import Connection, wait
from types import TracebackType
from typing import Any

from pdt_annotate.errors import PdtError, UserCodeError

CAN_FORK = hasattr(os, "fork") and hasattr(socket, "AF_UNIX")
GRACE = 5.0  # seconds in which the zygote may end its children by itself


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


class Zygote:
    """A process with torch imported, from which sessions are forked. A context manager: leaving it ends every child.

    Args:
        timeout: seconds that one task may take before its process is killed.
    """

    def __init__(self, timeout: float) -> None:
        self.timeout = timeout
        self._sessions: list[Session] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection[Any, Any] | None = None
        if CAN_FORK:
            self._start()

    def _start(self) -> None:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-c", f"from pdt_annotate.isolate import main; main({theirs.fileno()})"]
            # A session of its own: Ctrl-C reaches the tool, which then ends its children in order.
            self._process = subprocess.Popen(
                command, pass_fds=[theirs.fileno()], stdout=2, stdin=subprocess.DEVNULL, start_new_session=True
            )
        self._connection = Connection(ours.detach())

    def session(self, setup: str, *args: Any) -> Session:
        """Fork a session that has run the task `setup`, whose result is the first argument of every later task."""
        if self._connection is None:
            return Session(None, self.timeout, (setup, args))
        connection = _ask_for_session(self._connection, self.timeout, setup, args)
        session = Session(connection, self.timeout, (setup, args))
        self._sessions.append(session)
        return session

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        for session in self._sessions:
            session.close()
        if self._connection is not None:
            self._connection.close()
        if self._process is not None:
            try:
                self._process.wait(GRACE)
            except subprocess.TimeoutExpired:
                os.killpg(self._process.pid, signal.SIGKILL)
                self._process.wait()


class Session:
    """A process that has run its setup; each `run` is one fork of it."""

    def __init__(
        self, connection: Connection[Any, Any] | None, timeout: float, setup: tuple[str, tuple[Any, ...]]
    ) -> None:
        self.timeout = timeout
        self._connection = connection
        self._setup = setup

    def run(self, task: str, *args: Any) -> Any:
        """Run one task in a fresh fork and return its result.

        Raises:
            UserCodeError: the child crashed, exited or took longer than the timeout.
        """
        if self._connection is None:
            return _run_spawned(self._setup, task, args, self.timeout).unwrap()
        try:
            self._connection.send_bytes(pickle.dumps((task, args, self.timeout)))
            reply: Reply = pickle.loads(self._connection.recv_bytes())
        except (EOFError, OSError) as gone:
            raise UserCodeError("the process that runs your code is gone") from gone
        return reply.unwrap()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()


@contextlib.contextmanager
def user_code(doing: str) -> Iterator[None]:
    """Turn whatever the user's code raises inside the block into a `UserCodeError` that names its file and line."""
    try:
        yield
    except PdtError:
        raise
    except BaseException as error:
        raise _blame_user_code(doing, error) from error


def _blame_user_code(doing: str, error: BaseException) -> UserCodeError:
    file, line = "", 0
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, SyntaxError) and error.filename:
        file, line = error.filename, error.lineno or 0
    else:
        for frame in frames:
            if _is_user_file(frame.filename):
                file, line = frame.filename, frame.lineno or 0
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, SystemExit):
        what = f"it called sys.exit({error.code!r})"
    return UserCodeError(f"{doing}: {what}", file=file, line=line)


def _is_user_file(file: str) -> bool:
    ours = os.path.dirname(os.path.abspath(__file__))
    outside = ("site-packages" not in file) and not file.startswith((ours + os.sep, os.path.dirname(os.__file__)))
    return outside and not file.startswith("<")


# The rest runs in the children.


def main(descriptor: int) -> None:
    """The zygote: import torch, then fork a session for every request until the tool closes its end."""
    os.dup2(2, 1)  # whatever user code prints must not mix with the diff on the tool's stdout
    faulthandler.enable()
    import torch  # noqa: PLC0415  (the zygote's only job)

    # An OpenMP pool does not survive a fork; with one thread none is ever made.
    torch.set_num_threads(1)
    connection: Connection[Any, Any] = Connection(descriptor)
    while True:
        try:
            request = connection.recv_bytes()
        except (EOFError, OSError):
            return
        _fork_session(connection, request)


def _ask_for_session(
    connection: Connection[Any, Any], timeout: float, setup: str, args: tuple[Any, ...]
) -> Connection[Any, Any]:
    connection.send_bytes(pickle.dumps((setup, args, timeout)))
    try:
        session: Connection[Any, Any] = Connection(reduction.recv_handle(connection))
        reply: Reply = pickle.loads(connection.recv_bytes())
    except (EOFError, OSError) as gone:
        raise RuntimeError("the zygote did not start; is torch installed for this interpreter?") from gone
    reply.unwrap()
    return session


def _fork_session(parent: Connection[Any, Any], request: bytes) -> None:
    setup, args, timeout = pickle.loads(request)
    ours, theirs = socket.socketpair()
    ready_read, ready_write = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        for end in (parent, ours, ready_read):
            end.close()
        _serve_session(Connection(theirs.detach()), Connection(ready_write.detach()), setup, args)
    theirs.close()
    ready_write.close()
    reduction.send_handle(parent, ours.fileno(), os.getppid())
    ours.close()
    reply = _await_reply(Connection(ready_read.detach()), parent, pid, timeout, reap=False)
    parent.send_bytes(pickle.dumps(reply))


def _serve_session(
    connection: Connection[Any, Any], ready: Connection[Any, Any], setup: str, args: tuple[Any, ...]
) -> None:
    """Run the setup, say so, then fork for every task; never returns."""
    state, reply = None, Reply()
    try:
        state = find_task(setup)(*args)
    except PdtError as error:
        reply = Reply(error=error)
    except BaseException:
        reply = Reply(bug=traceback.format_exc())
    ready.send_bytes(_dump(reply))
    ready.close()
    if reply.error is not None or reply.bug:
        os._exit(0)
    while True:
        try:
            task, task_args, timeout = pickle.loads(connection.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)
        connection.send_bytes(pickle.dumps(_run_forked(connection, state, task, task_args, timeout)))


def _run_forked(
    parent: Connection[Any, Any], state: Any, task: str, args: tuple[Any, ...], timeout: float
) -> Reply:
    read, write = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        read.close()
        parent.close()
        reply = _run_task(lambda: find_task(task)(state, *args))
        connection: Connection[Any, Any] = Connection(write.detach())
        connection.send_bytes(_dump(reply))
        _leave()
    write.close()
    return _await_reply(Connection(read.detach()), parent, pid, timeout, reap=True)


def _run_task(task: Callable[[], Any]) -> Reply:
    try:
        return Reply(value=task())
    except PdtError as error:
        return Reply(error=error)
    except BaseException:
        return Reply(bug=traceback.format_exc())


def _dump(reply: Reply) -> bytes:
    try:
        return pickle.dumps(reply)
    except Exception:
        return pickle.dumps(Reply(bug=traceback.format_exc()))


def _leave() -> None:
    """End a forked child without running exit handlers that belong to its parent."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(0)


def find_task(name: str) -> Callable[..., Any]:
    """The function that a task's name stands for."""
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)  # type: ignore[no-any-return]


def _await_reply(
    child: Connection[Any, Any], parent: Connection[Any, Any], pid: int, timeout: float, *, reap: bool
) -> Reply:
    """Wait for a child's reply; kill it when time is up or when the tool itself has gone."""
    deadline = time.monotonic() + timeout
    try:
        readable = wait([child, parent], max(0.0, deadline - time.monotonic()))
        if child in readable:
            try:
                reply: Reply = pickle.loads(child.recv_bytes())
            except (EOFError, OSError):
                return Reply(error=UserCodeError(_describe_death(pid)))
            if reap:
                _end(pid)
            return reply
        _end(pid)
        if readable:
            os._exit(0)
        message = f"your code did not finish within {timeout:g} s and was stopped"
        return Reply(error=UserCodeError(message, hint="raise --timeout, or use smaller example inputs"))
    finally:
        child.close()


def _end(pid: int) -> None:
    """Kill a child with whatever it started, and reap it."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)


def _describe_death(pid: int) -> str:
    try:
        _, status = os.waitpid(pid, 0)
    except ChildProcessError:
        return "your code ended its process"
    if os.WIFSIGNALED(status):
        return f"your code crashed its process ({signal.Signals(os.WTERMSIG(status)).name})"
    return f"your code ended its process with exit status {os.waitstatus_to_exitcode(status)}"


def _run_spawned(setup: tuple[str, tuple[Any, ...]], task: str, args: tuple[Any, ...], timeout: float) -> Reply:
    """The same as a fork of a session, in a new interpreter."""
    with tempfile.TemporaryDirectory(prefix="pdt-annotate-") as folder:
        request, answer = os.path.join(folder, "request"), os.path.join(folder, "answer")
        with open(request, "wb") as out:
            pickle.dump((setup, task, args), out)
        command = [sys.executable, "-c", "from pdt_annotate.isolate import main_once; main_once()", request, answer]
        try:
            done = subprocess.run(command, stdout=2, stdin=subprocess.DEVNULL, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return Reply(error=UserCodeError(f"your code did not finish within {timeout:g} s and was stopped"))
        if not os.path.exists(answer):
            return Reply(error=UserCodeError(f"your code ended its process with exit status {done.returncode}"))
        with open(answer, "rb") as file:
            return pickle.load(file)  # type: ignore[no-any-return]


def main_once() -> None:
    """A spawned interpreter: setup, one task, the reply into a file."""
    _, request, answer = sys.argv
    del sys.argv[1:]
    with open(request, "rb") as file:
        (setup, setup_args), task, args = pickle.load(file)
    reply = _run_task(lambda: find_task(task)(find_task(setup)(*setup_args), *args))
    with open(answer, "wb") as out:
        out.write(_dump(reply))
