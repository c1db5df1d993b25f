"""Work aside, inside a task: what comes after it sees nothing of what it compiled, changed or spoiled.

In a fork where the platform has one. Elsewhere in this process, from which then is taken back what work in a task may
change: what the compiler remembers, and what the target holds. A crash there is one of the whole task.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, TypeVar

from pdt_annotate.processes.child.compiler_state import remembering_nothing
from pdt_annotate.processes.child.state import keep
from pdt_annotate.processes.fork import CAN_FORK, in_fork

A = TypeVar("A")
T = TypeVar("T")


def aside(work: Callable[[A], T], argument: A, held: Any = None) -> T | None:
    """Do some work; None where it did not return.

    Args:
        held: the module that the work runs, if it runs one.
    """
    return in_fork(work, argument) if CAN_FORK else _here(work, argument, held)


def _here(work: Callable[[A], T], argument: A, held: Any) -> T | None:
    put_back = keep(held)
    try:
        with contextlib.suppress(Exception, SystemExit), remembering_nothing():
            return work(argument)
        return None
    finally:
        put_back()
