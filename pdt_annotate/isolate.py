"""The forked children in which user code runs; the tool's own process never runs any.

A *zygote* imports torch once and nothing of the user's. A `Session` is a fork of it that has imported the user's
modules and then forks once more for every task, so that each task starts from the same, never-run state and a crash,
a `sys.exit`, an endless loop or a poisoned compiler stays in its child. Where the platform has no fork, every task
gets a new interpreter that repeats the session's setup.

A task is named "package.module:function" and is imported in the child; arguments and results are pickled. The same code
runs many times, so what a task prints, C++ code and child processes included, is dropped unless it is to be heard.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
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

from pdt_annotate import kept_overlay
from pdt_annotate.errors import PdtError, UserCodeError, UserError

CAN_FORK = hasattr(os, "fork") and hasattr(socket, "AF_UNIX")
GRACE = 5.0  # seconds in which the zygote may end its children by itself
ENDING = 0.002  # seconds between looks at a fork that is about to end
POLL = 0.2  # seconds until a child that ended without a word is noticed, where one of its own keeps its end open

NO_FORK_HINT = "annotate the source with the command line instead: it starts new interpreters"
SLOW_HINT = "raise --timeout, or use smaller example inputs"
NOT_THE_USERS = tuple(os.path.dirname(os.path.abspath(file)) + os.sep for file in (__file__, os.__file__))
INSTALLED = frozenset(("site-packages", "dist-packages"))
UNPICKLABLE = (pickle.PicklingError, TypeError, AttributeError, RecursionError, ValueError)


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


READY = pickle.dumps(Reply())


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
            command = [sys.executable, "-c", f"from pdt_annotate.isolate import main; main({theirs.fileno()})"]
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

    def session(self, setup: str, *args: Any, heard: bool = False) -> Session:
        """Fork a session that has run the task `setup`, whose result is the first argument of every later task.

        Args:
            setup: the task.
            args: its arguments.
            heard: what it prints goes to our stderr.

        Raises:
            UserError: torch cannot be imported; or whatever the setup raised of our errors.
            UserCodeError: the setup crashed, exited or took longer than the timeout.
        """
        if self._connection is None:
            return Session(None, self.timeout, (setup, args))
        if not self._ready:
            _greet(self._connection)
            self._ready = True
        connection = _ask_for_session(self._connection, (setup, args, self.timeout, heard))
        session = Session(connection, self.timeout, (setup, args))
        self._sessions.append(session)
        return session

    def interrupt(self) -> None:
        """Let whatever waits for a child fail at once: for a thread other than the one that waits."""
        for connection in (self._connection, *(session._connection for session in self._sessions)):
            if connection is not None:
                with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as end:
                    end.shutdown(socket.SHUT_RDWR)

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
            _begin_fork()
            _serve_session(Connection(theirs.detach()), Connection(ready_write.detach()), make, heard=False)

        self._child = _Child(serve)
        theirs.close()
        ready_write.close()
        super().__init__(Connection(ours.detach()), timeout, ("", ()))
        try:
            reply: Reply = pickle.loads(_await_answer(self._child, Connection(ready_read.detach()), None, timeout))
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


@contextlib.contextmanager
def user_code(doing: str) -> Iterator[None]:
    """Turn whatever the user's code raises inside the block into a `UserCodeError` that names its file and line."""
    try:
        yield
    except PdtError:
        raise
    except BaseException as error:
        file, line = _place_of(error)
        raise UserCodeError(f"{doing}: {_describe(error)}", file=file, line=line) from error


def _place_of(error: BaseException) -> tuple[str, int]:
    """The innermost line of the user's that an exception came through; of a syntax error, the line that is wrong."""
    if isinstance(error, SyntaxError) and _is_user_file(error.filename or "<unknown>"):
        return str(error.filename), error.lineno or 0
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    return next(((file, line) for file, line in reversed(frames) if _is_user_file(file)), ("", 0))


def _describe(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it called sys.exit({error.code!r})"
    try:
        message = str(error)
    except Exception:  # an exception class of the user's, with a `__str__` that raises
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _is_user_file(file: str) -> bool:
    return not file.startswith(("<", *NOT_THE_USERS)) and not INSTALLED.intersection(file.split(os.sep))


def _greet(zygote: Connection[Any, Any]) -> None:
    """Wait until the zygote has imported torch."""
    try:
        reply: Reply = pickle.loads(zygote.recv_bytes())
    except (EOFError, OSError) as gone:
        hint = f"does `{sys.executable} -c 'import torch'` work?"
        raise UserError("the process that imports torch ended before it was ready", hint=hint) from gone
    reply.unwrap()


def _ask_for_session(connection: Connection[Any, Any], request: tuple[Any, ...]) -> Connection[Any, Any]:
    try:
        connection.send_bytes(pickle.dumps(request))
        session: Connection[Any, Any] = Connection(reduction.recv_handle(connection))
        reply: Reply = pickle.loads(connection.recv_bytes())
    except (EOFError, OSError) as gone:
        raise UserError("the process that imports torch is gone", hint="was it killed, for want of memory?") from gone
    reply.unwrap()
    return session


# The rest runs in the children.


def main(descriptor: int) -> None:
    """The zygote: import torch, then fork a session for every request until the tool closes its end; never returns."""
    os.dup2(2, 1)  # whatever user code prints must not mix with the diff on the tool's stdout
    faulthandler.enable(os.dup(2))  # a crash is told where all else is dropped
    connection: Connection[Any, Any] = Connection(descriptor)
    reply = _import_torch()
    connection.send_bytes(pickle.dumps(reply))
    while reply.error is None:
        request = _receive(connection)
        if not request:
            break
        _fork_session(connection, request)
    _leave()  # torch takes a second to take down


def _import_torch() -> Reply:
    os.environ.pop("PYTORCH_JIT", None)  # with it torch would compile nothing, and every judge would say yes
    kept_overlay.withdraw()  # until a session's setup knows whether packages are to be read as they are installed
    try:
        import torch  # noqa: PLC0415  (the zygote's only job)
    except (ImportError, OSError) as error:  # OSError: a shared library is missing
        message = f"torch cannot be imported: {error}"
        return Reply(error=UserError(message, hint=f"install torch for {sys.executable}"))
    # An OpenMP pool does not survive a fork; with one thread none is ever made.
    torch.set_num_threads(1)
    return Reply()


def _fork_session(parent: Connection[Any, Any], request: bytes) -> None:
    setup, args, timeout, heard = pickle.loads(request)
    ours, theirs = socket.socketpair()
    ready_read, ready_write = socket.socketpair()

    def serve() -> None:
        for end in (parent, ours, ready_read):
            end.close()
        make = functools.partial(_run_setup, setup, args)
        _serve_session(Connection(theirs.detach()), Connection(ready_write.detach()), make, heard)

    child = _Child(serve)
    theirs.close()
    ready_write.close()
    reduction.send_handle(parent, ours.fileno(), os.getppid())
    ours.close()
    answer = _await_answer(child, Connection(ready_read.detach()), parent, timeout)
    if answer != READY:
        child.end()
    parent.send_bytes(answer)


def _run_setup(setup: str, args: tuple[Any, ...]) -> Any:
    return find_task(setup)(*args)


def _begin_fork() -> None:
    """What `main` does for a zygote, in a fork of a process that is not ours."""
    os.dup2(2, 1)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # the threads of a pool have not come along


def _serve_session(
    connection: Connection[Any, Any], ready: Connection[Any, Any], make: Callable[[], Any], heard: bool
) -> None:
    """Make the state, say so, then fork for every task."""
    state: list[Any] = []
    reply = _run_task(lambda: state.append(make()), heard)
    ready.send_bytes(_dump(reply))
    ready.close()
    while state:
        try:
            request = pickle.loads(connection.recv_bytes())
            connection.send_bytes(_run_forked(connection, state[0], *request))
        except (EOFError, OSError):  # the tool has gone
            break
    # With what the user's modules may have started on import.
    os.killpg(0, signal.SIGKILL)


def _run_forked(
    parent: Connection[Any, Any], state: Any, task: str, args: tuple[Any, ...], timeout: float, heard: bool
) -> bytes:
    read, write = socket.socketpair()

    def work() -> None:
        read.close()
        parent.close()
        answer = _dump(_run_task(lambda: find_task(task)(state, *args), heard))
        connection: Connection[Any, Any] = Connection(write.detach())
        connection.send_bytes(answer)

    child = _Child(work)
    write.close()
    try:
        return _await_answer(child, Connection(read.detach()), parent, timeout)
    finally:
        child.end()


class _Child:
    """A function that runs in a forked process, which leads a process group of its own."""

    def __init__(self, work: Callable[[], None]) -> None:
        self._returncode: int | None = None
        _flush()
        self._pid = os.fork()
        if self._pid == 0:
            try:
                os.setpgid(0, 0)
                work()
            finally:
                _leave()
        # Here too, because nobody knows which of the two runs first.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.setpgid(self._pid, self._pid)

    def has_ended(self) -> bool:
        self._reap(os.WNOHANG)
        return self._returncode is not None

    def describe_end(self) -> str:
        return _describe_end(self._returncode or 0)

    def end(self) -> None:
        """Kill the process with whatever it started, and reap it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._pid, signal.SIGKILL)
        self._reap(0)

    def _reap(self, options: int) -> None:
        if self._returncode is None:
            try:
                pid, status = os.waitpid(self._pid, options)
            except ChildProcessError:  # the user's code has told the system to reap children unasked
                self._returncode = 0
            else:
                self._returncode = os.waitstatus_to_exitcode(status) if pid else None


def _run_task(task: Callable[[], Any], heard: bool) -> Reply:
    try:
        with contextlib.nullcontext() if heard else silence():
            return Reply(value=task())
    except PdtError as error:
        return Reply(error=error)
    except BaseException:
        return Reply(bug=traceback.format_exc())


def _dump(reply: Reply) -> bytes:
    try:
        return pickle.dumps(reply)
    except UNPICKLABLE:
        return pickle.dumps(Reply(bug=traceback.format_exc()))


def _leave() -> None:
    """End a forked child without running exit handlers that belong to its parent."""
    failed = sys.exc_info()[0] is not None
    if failed:
        traceback.print_exc()
    _flush()
    os._exit(1 if failed else 0)


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Drop what this process, and whatever it starts, writes to stdout and stderr inside the block."""
    _flush()
    saved = {stream: os.dup(stream) for stream in (1, 2)}
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in saved:
        os.dup2(nothing, stream)
    os.close(nothing)
    try:
        yield
    finally:
        _flush()
        for stream, kept in saved.items():
            os.dup2(kept, stream)
            os.close(kept)


def _flush() -> None:
    """Empty the buffers of what the user's code printed, so that no fork prints it again."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            if stream is not None:  # as in a process without a console
                stream.flush()


def find_task(name: str) -> Callable[..., Any]:
    """The function that a task's name stands for."""
    module, _, function = name.partition(":")
    return getattr(importlib.import_module(module), function)  # type: ignore[no-any-return]


def _await_answer(
    child: _Child, answers: Connection[Any, Any], parent: Connection[Any, Any] | None, timeout: float
) -> bytes:
    """Wait for a child's pickled reply; where none comes, because time is up or the child is dead, make one.

    Where the tool itself, at the other end of `parent`, has gone, this process ends, and its child with it.
    """
    deadline = time.monotonic() + timeout
    watched = [answers] if parent is None else [answers, parent]
    with answers:
        while (left := deadline - time.monotonic()) > 0:
            ready = wait(watched, min(left, POLL))
            if parent in ready:
                child.end()
                os.killpg(0, signal.SIGKILL)
            ended = child.has_ended()
            if answers in ready or (ended and answers in watched and answers.poll()):
                answer = _receive(answers)
                if answer:
                    return answer
                watched.remove(answers)
            if ended:
                return _dump(Reply(error=UserCodeError(child.describe_end())))
    return _dump(Reply(error=_too_slow(timeout)))


def _receive(connection: Connection[Any, Any]) -> bytes:
    """The next message; empty where the other end is closed."""
    try:
        return connection.recv_bytes()
    except (EOFError, OSError):
        return b""


def _too_slow(timeout: float) -> UserCodeError:
    return UserCodeError(f"your code did not finish within {timeout:g} s and was stopped", hint=SLOW_HINT)


def _describe_end(code: int) -> str:
    """How a process ended, from its return code as `subprocess` gives it."""
    if code < 0:
        return f"your code crashed its process ({signal.Signals(-code).name})"
    return f"your code ended its process with exit status {code}"


def _run_spawned(work: tuple[Any, ...], timeout: float) -> Reply:
    """The same as a fork of a session, in a new interpreter."""
    with tempfile.TemporaryDirectory(prefix="pdt-annotate-") as folder:
        request, answer = os.path.join(folder, "request"), os.path.join(folder, "answer")
        with open(request, "wb") as out:
            pickle.dump(work, out)
        command = [sys.executable, "-c", "from pdt_annotate.isolate import main_once; main_once()", request, answer]
        try:
            done = subprocess.run(command, stdout=2, stdin=subprocess.DEVNULL, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return Reply(error=_too_slow(timeout))
        if not os.path.exists(answer):
            return Reply(error=UserCodeError(_describe_end(done.returncode)))
        with open(answer, "rb") as file:
            return pickle.load(file)  # type: ignore[no-any-return]


def main_once() -> None:
    """A spawned interpreter: import torch, setup, one task, the reply into a file."""
    _, request, answer = sys.argv
    del sys.argv[1:]
    with open(request, "rb") as file:
        (setup, setup_args), task, args, heard = pickle.load(file)
    reply = _import_torch()
    if reply.error is None:
        reply = _run_task(lambda: find_task(task)(find_task(setup)(*setup_args), *args), heard)
    with open(answer, "wb") as out:
        out.write(_dump(reply))
    _leave()
