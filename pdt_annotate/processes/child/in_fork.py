"""A second fork, inside a task: a failed compilation spoils the process for the next."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
from collections.abc import Callable
from typing import TypeVar

A = TypeVar("A")
T = TypeVar("T")


def in_fork(work: Callable[[A], T], argument: A) -> T | None:
    """Do some work in a fork; None where it did not return."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(read)
        faulthandler.disable()  # a crash is an answer here
        try:
            with contextlib.suppress(Exception), os.fdopen(write, "wb") as out:
                out.write(pickle.dumps(work(argument)))
        finally:  # an exit of the user's code included
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as source:
        answer = source.read()
    os.waitpid(pid, 0)
    return pickle.loads(answer) if answer else None
