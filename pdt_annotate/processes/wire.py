"""What passes between the tool and its children: tasks, and the replies to them. All of it is pickled."""

from __future__ import annotations

import contextlib
import importlib
import os
import pickle
import socket
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from pdt_annotate.values.errors import PdtError

UNPICKLABLE = (pickle.PicklingError, TypeError, AttributeError, RecursionError, ValueError)


@dataclass(frozen=True)
class Task:
    """A function that is imported and called in a child.

    Args:
        name: "package.module:function".
        args: its arguments, behind the state of its session.
        flags: its keyword arguments.
        heard: what it prints goes to our stderr; the same code runs many times, so it is dropped otherwise.
    """

    name: str
    args: tuple[Any, ...]
    flags: Mapping[str, Any]
    heard: bool = False

    def __call__(self, *state: Any) -> Any:
        module, _, function = self.name.partition(":")
        return getattr(importlib.import_module(module), function)(*state, *self.args, **self.flags)


@dataclass(frozen=True)
class AnotherZygote:
    """A request for a second zygote, which has done a task besides."""

    task: Task


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

    def pickled(self) -> bytes:
        try:
            return pickle.dumps(self)
        except UNPICKLABLE:
            return pickle.dumps(Reply(bug=traceback.format_exc()))


READY = Reply().pickled()

MARK = b"pdt-annotate answers:\n"
"""The line behind which a spawned interpreter answers: what starts with Python may have printed before."""


def receive(connection: Connection[Any, Any]) -> bytes:
    """The next message; empty where the other end is closed."""
    try:
        return connection.recv_bytes()
    except (EOFError, OSError):
        return b""


def cut(connection: Connection[Any, Any]) -> None:
    """Let whatever waits at either end fail at once."""
    with contextlib.suppress(OSError), socket.socket(fileno=os.dup(connection.fileno())) as end:
        end.shutdown(socket.SHUT_RDWR)
