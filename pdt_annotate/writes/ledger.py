"""The files that this process has written by now, for whoever has to say so when it ends before its time."""

from __future__ import annotations

from collections.abc import Iterable

_written: dict[str, None] = {}


def note(files: Iterable[str]) -> None:
    """These files have their new content, and keep it."""
    _written.update(dict.fromkeys(files))


def written() -> tuple[str, ...]:
    """What was written since the last `forget`."""
    return tuple(_written)


def forget() -> None:
    """A new command begins."""
    _written.clear()
