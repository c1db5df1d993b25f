"""Writes that were ended: taken back until their journal says `done`, and from then on cleared away."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from pdt_annotate.writes import journal
from pdt_annotate.writes.journal import Journal
from pdt_annotate.writes.lock import Busy, Foreign
from pdt_annotate.writes.near import journals_near
from pdt_annotate.writes.steps import Taken, clear, take_back

T = TypeVar("T")

PATIENCE = 2.0
"""Seconds for which a command waits until another has written, so as not to read what is half new."""
PAUSE = 0.02


@dataclass(frozen=True)
class Recovered:
    """What became of a write that was ended.

    Args:
        restored: the files that have their old content again.
        edited: those that somebody changed since, and that stay.
        kept: files in which lies what somebody saved while a file was being replaced, and saved again.
        unrecovered: why nothing was done about it; "" where it was.
    """

    restored: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    unrecovered: str = ""


def recover_near(start: str) -> Iterator[Recovered]:
    """Recover what runs have left in a directory and those above it. One that still writes gets a moment to end."""
    for path in list(journals_near(start)):
        try:
            yield _patiently(path)
        except Busy:
            yield Recovered(unrecovered=f"another run is writing in {os.path.dirname(path)}")
        except Foreign:
            yield Recovered(unrecovered=f"{path} is no journal that a run of yours left, so it is left alone")
        except OSError as error:
            where = error.filename or path
            reason = f"a run was ended while it wrote, which cannot be mended now: {error.strerror}: {where}"
            yield Recovered(unrecovered=reason)


def _patiently(path: str) -> Recovered:
    deadline = time.monotonic() + PATIENCE
    while True:
        with contextlib.suppress(Busy):
            return recover(path)
        if time.monotonic() > deadline:
            raise Busy(path)
        time.sleep(PAUSE)


def recover(path: str) -> Recovered:
    """Recover what a run has left.

    Raises:
        Busy: it still lives.
        Foreign: there is no journal that a run of this user left.
        OSError: it cannot be recovered now.
    """
    try:
        left = journal.find(path)
    except FileNotFoundError:
        return Recovered()
    return finish(left)


def finish(left: Journal) -> Recovered:
    """Take a write back, or clear away what it has done, and with it the journal; each step is tried twice.

    Raises:
        OSError: a step failed. The journal stays, for the next run.
    """
    try:
        recovered = _take_back(left) if left.is_staged and not left.is_done else Recovered()
        kept = _each(left.plan.entries, lambda entry: clear(entry, whole=left.is_staged))
        if not left.is_done:
            _remove_directories(left.plan.made)
    except BaseException:
        os.close(left.handle)
        raise
    left.remove()
    return Recovered(recovered.restored, recovered.edited, tuple(filter(None, kept)))


def _take_back(left: Journal) -> Recovered:
    entries = tuple(reversed(left.plan.entries))
    came_to = _each(entries, take_back)
    by = {
        kind: tuple(entry.file for entry, came in zip(entries, came_to, strict=True) if came is kind) for kind in Taken
    }
    for directory in {os.path.dirname(file) for file in by[Taken.RESTORED]}:
        journal.sync_directory(directory)
    return Recovered(by[Taken.RESTORED][::-1], by[Taken.EDITED][::-1])


def _each(entries: Iterable[journal.PlannedFile], step: Callable[[journal.PlannedFile], T]) -> list[T]:
    """What a step gives for each, all of which are tried before the first error is raised."""
    given, failed = [], None
    for entry in entries:
        try:
            given.append(_twice(step, entry))
        except OSError as error:
            failed = failed or error
    if failed:
        raise failed
    return given


def _twice(step: Callable[[journal.PlannedFile], T], entry: journal.PlannedFile) -> T:
    with contextlib.suppress(OSError):
        return step(entry)
    return step(entry)


def _remove_directories(made: Iterable[str]) -> None:
    """Those that were made, as far as nobody has put something into them."""
    for directory in reversed(tuple(made)):
        with contextlib.suppress(OSError):
            os.rmdir(directory)
