"""What the user's code is run for just now, told to whoever watches it: where it hangs or crashes, nothing else is."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

_tell: Callable[[str], None] = lambda phase: None  # noqa: E731 - what `tell_phases_to` sets
_phases: list[str] = []


def tell_phases_to(tell: Callable[[str], None]) -> None:
    """Have each phase told from here on, as "while running call 2", and as "after running call 2" where one ends."""
    global _tell
    _tell = tell


@contextlib.contextmanager
def phase(doing: str) -> Iterator[None]:
    """What is done inside the block: "running call 2"."""
    _phases.append(doing)
    _tell(f"while {doing}")
    try:
        yield
    finally:
        _phases.pop()
        _tell(f"while {_phases[-1]}" if _phases else f"after {doing}")
