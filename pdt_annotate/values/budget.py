"""How long a run may search."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


class BudgetSpentError(Exception):
    """Work ended because its budget is spent; the message names the next step."""


@dataclass(frozen=True)
class Budget:
    """The seconds that all searches of a run share, counted from the budget's creation."""

    seconds: float
    began: float = field(default_factory=time.monotonic)

    @property
    def left(self) -> float:
        """The seconds left, at least 0."""
        return max(0.0, self.began + self.seconds - time.monotonic())

    def share(self, part: float) -> Budget:
        """A separate budget: a fraction of the time left."""
        return Budget(self.left * part)

    @property
    def is_spent(self) -> bool:
        return not self.left

    @contextmanager
    def ends_work(self) -> Iterator[None]:
        """Inside this block, `go_on` raises once the budget is spent.

        Raises:
            BudgetSpentError: from `go_on`.
        """
        token = _ending.set(self)
        try:
            yield
        finally:
            _ending.reset(token)


UNBOUNDED = Budget(math.inf)

_ending: ContextVar[Budget] = ContextVar("budget", default=UNBOUNDED)


def go_on(step: str) -> None:
    """Begin one step of long work, if the budget of the enclosing `ends_work` is not spent.

    Args:
        step: the step that begins, such as "reading net.py".

    Raises:
        BudgetSpentError: no time is left.
    """
    if _ending.get().is_spent:
        raise BudgetSpentError(step)
