"""What runs in the children: the zygote, the sessions that it forks, and a task in an interpreter of its own."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Callable
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any

from pdt_annotate.overlays import kept_overlay
from pdt_annotate.processes.fork import Fork, flush, leave, silence
from pdt_annotate.processes.wire import MARK, READY, AnotherZygote, Reply, Task, receive
from pdt_annotate.values.errors import PdtError, UserError
from pdt_annotate.values.torch_releases import DEPRECATION


def main(descriptor: int) -> None:
    """The zygote: import torch, then fork a session for every request until the tool closes its end; never returns."""
    os.dup2(2, 1)  # whatever user code prints must not mix with the diff on the tool's stdout
    faulthandler.enable(os.dup(2))  # a crash is told where all else is dropped
    connection: Connection[Any, Any] = Connection(descriptor)
    reply = _import_torch()
    connection.send_bytes(reply.pickled())
    if reply.error is None:
        _serve_sessions(connection)
    leave()  # torch takes a second to take down


def _serve_sessions(connection: Connection[Any, Any]) -> None:
    """Fork a session, or a second zygote, for every request until the tool closes its end."""
    while request := receive(connection):
        asked = pickle.loads(request)
        if isinstance(asked, AnotherZygote):
            _branch(connection, asked.task)
        else:
            _open_session(connection, *asked)


def _branch(parent: Connection[Any, Any], task: Task) -> None:
    """Fork a zygote that begins with a task; nobody waits for it."""
    ours, theirs = socket.socketpair()

    def serve() -> None:
        parent.close()
        ours.close()
        reply = _reply_to(task, task.heard)
        connection: Connection[Any, Any] = Connection(theirs.detach())
        with contextlib.suppress(OSError):  # the tool has gone meanwhile
            connection.send_bytes(reply.pickled())
        if reply.error is None:
            _serve_sessions(connection)

    Fork(serve, leads_group=False)
    theirs.close()
    with ours:
        reduction.send_handle(parent, ours.fileno(), os.getppid())


def main_spawned() -> None:
    """A spawned interpreter: import torch, then run a setup, and one task on what that has left; never returns.

    It is asked on its stdin and answers on its stdout, of which the user's code knows nothing.
    """
    asked, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    faulthandler.enable(os.dup(2))
    state: list[Any] = []

    def answer(reply: Reply) -> None:
        answers.write(reply.pickled())
        answers.flush()

    answers.write(MARK)
    answer(_import_torch())
    with contextlib.suppress(EOFError, OSError):  # the tool has gone
        setup = pickle.load(asked)
        answer(_reply_to(lambda: state.append(setup()), setup.heard))
        task = pickle.load(asked)
        answer(_reply_to(lambda: task(*state), task.heard))
    leave()


def fork_session(
    begin: Callable[[], None], make: Callable[[], Any], heard: bool
) -> tuple[Fork, Connection[Any, Any], Connection[Any, Any]]:
    """Fork a process that makes a state, says so, and then forks once more for every task.

    Args:
        begin: what the fork does first of all.
        make: makes the state there.
        heard: what making it prints goes to our stderr.

    Returns:
        the process, the end to which tasks are sent, and the one at which it says that it is ready.
    """
    ours, theirs = socket.socketpair()
    ready_read, ready_write = socket.socketpair()

    def serve() -> None:
        for end in (ours, ready_read):
            end.close()
        begin()
        _serve(Connection(theirs.detach()), Connection(ready_write.detach()), make, heard)

    child = Fork(serve)
    theirs.close()
    ready_write.close()
    return child, Connection(ours.detach()), Connection(ready_read.detach())


def begin_fork() -> None:
    """What `main` does for a zygote, in a fork of a process that is not ours."""
    os.dup2(2, 1)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # the threads of a pool have not come along


def _import_torch() -> Reply:
    os.environ.pop("PYTORCH_JIT", None)  # with it torch would compile nothing, and every judge would say yes
    kept_overlay.withdraw()  # until a session's setup knows whether packages are to be read as they are installed
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Failed to initialize NumPy")  # neither torch nor we need it
            import torch  # noqa: PLC0415  (the zygote's only job)
    except (ImportError, OSError) as error:  # OSError: a shared library is missing
        message = f"torch cannot be imported: {error}"
        return Reply(error=UserError(message, hint=f"does `{sys.executable} -c 'import torch'` work?"))
    warnings.filterwarnings("ignore", DEPRECATION)  # the tool tells of it once
    # An OpenMP pool does not survive a fork; with one thread none is ever made.
    torch.set_num_threads(1)
    return Reply()


def _open_session(parent: Connection[Any, Any], setup: Task, timeout: float) -> None:
    child, session, ready = fork_session(parent.close, setup, setup.heard)
    with session:
        reduction.send_handle(parent, session.fileno(), os.getppid())
    answer = child.await_answer(ready, parent, timeout)
    if answer != READY:
        child.end()
    parent.send_bytes(answer)


def _serve(connection: Connection[Any, Any], ready: Connection[Any, Any], make: Callable[[], Any], heard: bool) -> None:
    state: list[Any] = []
    with ready:
        ready.send_bytes(_reply_to(lambda: state.append(make()), heard).pickled())
    while state:
        try:
            task, timeout = pickle.loads(connection.recv_bytes())
            connection.send_bytes(_run_forked(connection, state[0], task, timeout))
        except (EOFError, OSError):  # the tool has gone
            break
    # With what the user's modules may have started on import.
    os.killpg(0, signal.SIGKILL)


def _run_forked(parent: Connection[Any, Any], state: Any, task: Task, timeout: float) -> bytes:
    read, write = socket.socketpair()

    def work() -> None:
        read.close()
        parent.close()
        answer = _reply_to(lambda: task(state), task.heard).pickled()
        connection: Connection[Any, Any] = Connection(write.detach())
        connection.send_bytes(answer)

    child = Fork(work)
    write.close()
    try:
        return child.await_answer(Connection(read.detach()), parent, timeout)
    finally:
        child.end()


def _reply_to(work: Callable[[], Any], heard: bool) -> Reply:
    """Do some work here, and catch whatever becomes of it."""
    try:
        with contextlib.nullcontext() if heard else silence():
            return Reply(work())
    except PdtError as error:
        return Reply(error=error)
    except BaseException:
        return Reply(bug=traceback.format_exc())
    finally:
        flush()  # whoever has the answer may end this process
