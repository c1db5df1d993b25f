"""How long a run may search."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


class BudgetSpentError(Exception):
    """Work was ended because its budget is spent; the message says before what."""


@dataclass(frozen=True)
class Budget:
    """Seconds that all searches of a run share, from the moment when it is made."""

    seconds: float
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """Seconds; never less than none."""
        return max(0.0, self.began + self.seconds - time.monotonic())

    def share(self, part: float) -> Budget:
        """A budget of its own for a part of what is left."""
        return Budget(self.left * part)

    @property
    def is_spent(self) -> bool:
        return not self.left

    @contextmanager
    def ends_work(self) -> Iterator[None]:
        """Within this, work of ours that calls `go_on` ends when the budget is spent.

        Raises:
            BudgetSpentError: it has ended.
        """
        token = _ending.set(self)
        try:
            yield
        finally:
            _ending.reset(token)


UNBOUNDED = Budget(math.inf)

_ending: ContextVar[Budget] = ContextVar("budget", default=UNBOUNDED)


def go_on(step: str) -> None:
    """Begin a step of work that may take many.

    Args:
        step: what is to be done now, as in "reading net.py".

    Raises:
        BudgetSpentError: there is no time for it.
    """
    if _ending.get().is_spent:
        raise BudgetSpentError(step)
