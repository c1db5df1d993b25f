"""How long a run may search: one budget of time, which a table divides among its parts; and how long each part took."""

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import pairwise


@dataclass(frozen=True)
class Allowance:
    """Limits on a part of a run: a fraction of the time left, some seconds, and some steps (`step` says of what)."""

    share: float = 1.0
    seconds: float = math.inf
    steps: int = sys.maxsize
    step: str = ""

    def of(self, seconds: float) -> float:
        return min(self.share * seconds, self.seconds)


ALLOWANCES: dict[str, Allowance] = {  # the limits on each part of a run that searches
    # The search for annotations. It leaves time for changes of code.
    "annotations": Allowance(share=2 / 3, steps=40, step="trials of all targets"),
    "live object": Allowance(steps=40, step="trials of the object"),
    "function": Allowance(steps=40, step="trials of one function alone"),
    "rebuilds": Allowance(steps=5, step="times that the targets are built again"),
    # The search for changes of code, "mends".
    "mends": Allowance(steps=40, step="versions of the sources"),
    "version": Allowance(share=1 / 2, steps=15, step="trials of a version's annotations"),
    "stuck version": Allowance(steps=5, step="plans that come no further, one after the other"),
    "layers": Allowance(steps=8, step="times that mended code is mended again before the next version"),
    "single mends": Allowance(steps=8, step="last mends, made by no sweep, that are left out in turn"),
    # The repair and the blame of single parts after the whole has failed. A run that fails must not be slow.
    "parts": Allowance(seconds=15, steps=3, step="rounds in which proposals for all faults are tried at once"),
    "part": Allowance(steps=20, step="trials of one part"),
    "module tree": Allowance(seconds=20),
    "judging modules": Allowance(share=2 / 3),  # the rest is for finding faults in modules that fail
    "faults": Allowance(seconds=60, steps=20, step="compilations for one part"),
    "suspects": Allowance(steps=8, step="functions, the last one first, that are searched for a fault without a place"),
    # Calls that the examples do not make, in processor time. It bounds endless or huge calls only: the number of drawn
    # calls does not depend on time, so a slow machine comes to the same verdict.
    "generated calls": Allowance(share=0.1),
    "generated calls of script": Allowance(seconds=0.3),  # `script()` itself takes as long without them
    # Other ways of capturing.
    "trace mends in a table": Allowance(seconds=20),  # the user asked for the table only
    "mends of a file": Allowance(share=2 / 3),
    "trace mends of a file": Allowance(share=1 / 3),
    "outlined blocks": Allowance(steps=24, step="blocks around one line"),
    "baked values": Allowance(seconds=30, steps=10, step="traces, of the length of the first, for which time is added"),
    "further traces": Allowance(seconds=10, steps=10, step="the same"),
    "exports": Allowance(steps=10, step="exports of one target"),
}


class BudgetSpentError(Exception):
    """Work ended because its budget is spent; the message names the next step."""


@dataclass(frozen=True)
class Budget:
    """The seconds that all searches of a run share, counted from its creation, and the most steps of one search."""

    seconds: float = math.inf
    began: float = field(default_factory=time.monotonic)
    steps: int = sys.maxsize

    @property
    def left(self) -> float:
        return max(0.0, self.began + self.seconds - time.monotonic())

    def part(self, name: str) -> "Budget":
        """Return the separate budget of a part of the run, as `ALLOWANCES` divides the time that is left."""
        allowed = ALLOWANCES[name]
        return Budget(allowed.of(self.left), steps=allowed.steps)

    @property
    def is_spent(self) -> bool:
        return not self.left

    @contextmanager
    def ends_work(self) -> Iterator[None]:
        """Inside this block, `go_on` raises a `BudgetSpentError` once the budget is spent."""
        token = _ending.set(self)
        try:
            yield
        finally:
            _ending.reset(token)


UNBOUNDED = Budget()

_ending: ContextVar[Budget] = ContextVar("budget", default=UNBOUNDED)


def go_on(step: Callable[[], str]) -> None:
    """Begin a step of long work, such as "reading net.py"; raise `BudgetSpentError` if `ends_work` has no time left."""
    if _ending.get().is_spent:
        raise BudgetSpentError(step())


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


@dataclass
class Stopwatch:
    """Reports progress, and notes how long each stage took: one ends when the next begins."""

    progress: Progress
    _begun: list[tuple[str, float]] = field(default_factory=list)

    def __call__(self, stage: str) -> None:
        self._begun.append((stage, time.monotonic()))
        self.progress(stage)

    def read(self) -> tuple[Timing, ...]:
        """The stages so far; the last ends now."""
        ended = pairwise([*self._begun, ("", time.monotonic())])
        return tuple(Timing(name, end - begun) for (name, begun), (_, end) in ended)


def add_up(timed: Iterable[Timing]) -> tuple[Timing, ...]:
    """One timing for each name, the longest first."""
    sums: dict[str, Timing] = {}
    for each in timed:
        known = sums.get(each.name, Timing(each.name, 0, 0))
        sums[each.name] = Timing(each.name, known.seconds + each.seconds, known.times + each.times)
    return tuple(sorted(sums.values(), key=lambda each: -each.seconds))
