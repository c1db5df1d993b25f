"""The forked children in which user code runs; the tool's own process never runs any.

A *zygote* imports torch once and nothing of the user's. A `Session` is a fork of it that has imported the user's
modules and then forks once more for every task, so that each task starts from the same, never-run state and a crash,
a `sys.exit`, an endless loop or a poisoned compiler stays in its child. Where the platform has no fork, every task
gets a new interpreter that repeats the session's setup.

A task is named "package.module:function" and is imported in the child; arguments and results are pickled. The same code
runs many times, so what a task prints, C++ code and child processes included, is dropped unless it is to be heard.
"""

from __future__ import annotations

import faulthandler
import functools
import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable
from multiprocessing import reduction
from multiprocessing.connection import Connection
from typing import Any

from pdt_annotate.overlays import kept_overlay
from pdt_annotate.processes.fork import (
    READY,
    Fork,
    Reply,
    await_answer,
    find_task,
    leave,
    pickle_reply,
    receive,
    run_task,
)
from pdt_annotate.values.errors import UserError


def main(descriptor: int) -> None:
    """The zygote: import torch, then fork a session for every request until the tool closes its end; never returns."""
    os.dup2(2, 1)  # whatever user code prints must not mix with the diff on the tool's stdout
    faulthandler.enable(os.dup(2))  # a crash is told where all else is dropped
    connection: Connection[Any, Any] = Connection(descriptor)
    reply = _import_torch()
    connection.send_bytes(pickle.dumps(reply))
    while reply.error is None:
        request = receive(connection)
        if not request:
            break
        _fork_session(connection, request)
    leave()  # torch takes a second to take down


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
        serve_session(Connection(theirs.detach()), Connection(ready_write.detach()), make, heard)

    child = Fork(serve)
    theirs.close()
    ready_write.close()
    reduction.send_handle(parent, ours.fileno(), os.getppid())
    ours.close()
    answer = await_answer(child, Connection(ready_read.detach()), parent, timeout)
    if answer != READY:
        child.end()
    parent.send_bytes(answer)


def _run_setup(setup: str, args: tuple[Any, ...]) -> Any:
    return find_task(setup)(*args)


def begin_fork() -> None:
    """What `main` does for a zygote, in a fork of a process that is not ours."""
    os.dup2(2, 1)
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(1)  # the threads of a pool have not come along


def serve_session(
    connection: Connection[Any, Any], ready: Connection[Any, Any], make: Callable[[], Any], heard: bool
) -> None:
    """Make the state, say so, then fork for every task."""
    state: list[Any] = []
    reply = run_task(lambda: state.append(make()), heard)
    ready.send_bytes(pickle_reply(reply))
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
        answer = pickle_reply(run_task(lambda: find_task(task)(state, *args), heard))
        connection: Connection[Any, Any] = Connection(write.detach())
        connection.send_bytes(answer)

    child = Fork(work)
    write.close()
    try:
        return await_answer(child, Connection(read.detach()), parent, timeout)
    finally:
        child.end()


def main_once() -> None:
    """A spawned interpreter: import torch, setup, one task, the reply into a file."""
    _, request, answer = sys.argv
    del sys.argv[1:]
    with open(request, "rb") as file:
        (setup, setup_args), task, args, heard = pickle.load(file)
    reply = _import_torch()
    if reply.error is None:
        reply = run_task(lambda: find_task(task)(find_task(setup)(*setup_args), *args), heard)
    with open(answer, "wb") as out:
        out.write(pickle_reply(reply))
    leave()
