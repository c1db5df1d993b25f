"""The step for which the user's code runs now, reported to a watcher; after a hang or crash it knows nothing else."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

_tell: Callable[[str], None] = lambda phase: None  # noqa: E731 - what `tell_phases_to` sets
_phases: list[str] = []


def tell_phases_to(tell: Callable[[str], None]) -> None:
    """Report each phase from now on, as "while running call 2", or "after running call 2" when no phase is left."""
    global _tell
    _tell = tell


@contextlib.contextmanager
def phase(doing: str) -> Iterator[None]:
    """Inside the block, the phase is `doing`: "running call 2"."""
    _phases.append(doing)
    _tell(f"while {doing}")
    try:
        yield
    finally:
        _phases.pop()
        _tell(f"while {_phases[-1]}" if _phases else f"after {doing}")
