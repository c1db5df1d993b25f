"""The progress that a run reports, and the time that each part of it took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Timing:
    """The total time of a repeated step in seconds, and how often it ran."""

    name: str
    seconds: float
    times: int = 1


@dataclass(frozen=True)
class Timings:
    """The times of a run: its stages in order, and within these the tasks of other processes."""

    stages: tuple[Timing, ...] = ()
    tasks: tuple[Timing, ...] = ()


NO_TIMINGS = Timings()


class Stopwatch:
    """Reports progress, and notes how long each stage took: one ends when the next begins."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._begun: list[tuple[str, float]] = []

    def __call__(self, stage: str) -> None:
        self._begun.append((stage, time.monotonic()))
        self._progress(stage)

    def read(self) -> tuple[Timing, ...]:
        """The stages so far; the last ends now."""
        if not self._begun:
            return ()
        ends = [*(begun for _, begun in self._begun[1:]), time.monotonic()]
        return tuple(Timing(name, end - begun) for (name, begun), end in zip(self._begun, ends, strict=True))


def add_up(timed: Iterable[Timing]) -> tuple[Timing, ...]:
    """One timing for each name, the longest first."""
    sums: dict[str, Timing] = {}
    for each in timed:
        known = sums.get(each.name, Timing(each.name, 0, 0))
        sums[each.name] = Timing(each.name, known.seconds + each.seconds, known.times + each.times)
    return tuple(sorted(sums.values(), key=lambda each: -each.seconds))
