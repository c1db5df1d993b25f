"""The budget of the classes of attacks, and the counts of attacks and of attacks that the tool survived."""

import contextlib
import io
import os
import random
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pdt_annotate.cli.entry import report_error
from pdt_annotate.values.errors import PdtError

T = TypeVar("T")

LOST, BUG, LEFT, WRONG = "lost", "exit 70", "left behind", "wrong"
"""The kinds of failures: a byte of the user is lost, or some files are old and some new; exit code 70 or 120, or a
traceback of ours; a temporary file or a process is left; any other promise of a class is broken.
"""
TOLD = 20
REFUSED = 2
ACTING = re.compile(
    "[\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
    r"|^\s*::|##\[",
    re.MULTILINE,
)
"""Characters that a terminal or GitHub's runner would obey, or cannot show."""


@dataclass(frozen=True)
class Means:
    """The budget of a class.

    Args:
        seed: the seed of all random choices. Runs with the same seed make the same choices.
        factor: the number of attacks, as a multiple of those that take ten minutes.
    """

    seed: int
    factor: float = 1.0

    def random(self, *of: object) -> random.Random:
        """A separate random generator for one purpose, so that other purposes do not change its numbers."""
        return random.Random(repr((self.seed, *of)))

    def times(self, count: int) -> int:
        """The number of attacks to make, if `count` attacks take ten minutes."""
        return max(1, round(count * self.factor))


@dataclass
class Tally:
    """The results of the attacks of one class, from any thread."""

    made: int = 0
    survived: int = 0
    fell: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def count(self, attack: str, *fell: tuple[str, str]) -> None:
        """Count one attack. The description must suffice to repeat it. `fell` has the failures and their details."""
        with self._lock:
            self.made += 1
            self.survived += not fell
            self.fell.update(kind for kind, _ in fell)
            self.told.extend(f"{kind}: {attack}: {seen}" for kind, seen in fell)


class Attack(Protocol):
    """A class of attacks: a module of `classes/`. The first line of its docstring is what the tool must guarantee."""

    LEAST: int
    """The minimum number of attacks in ten minutes. With fewer, the class proves nothing."""

    def run(self, means: Means, tally: Tally) -> None: ...


def refusal_faults(error: PdtError, *names: str) -> list[tuple[str, str]]:
    """The faults of the message that the command prints for an error. The message must contain one of these names."""
    said = io.StringIO()
    said.isatty = lambda: True  # type: ignore[method-assign]  # where nothing is taken out
    with contextlib.redirect_stderr(said):
        code = report_error(error)
    words = said.getvalue()
    found = [(WRONG, f"exit {code}: {words[:300]!r}")] if code != REFUSED else []
    if not any("".join(name.split()) in "".join(words.split()) for name in names):  # the output is wrapped
        found.append((WRONG, f"it names none of {names}: {words[:300]!r}"))
    if acting := ACTING.search(words):
        found.append((WRONG, f"it prints {acting[0]!r}: {words[:300]!r}"))
    return found


def side_by_side(work: Callable[[T], None], items: Iterable[T]) -> None:
    """Run work that waits for processes, in as many threads as there are cores. The first exception is raised."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(work, items):
            pass


def judge(name: str, attack: Attack, means: Means) -> bool:
    """Make the attacks of a class, print the results, and return whether all promises held."""
    tally, begun, environment = Tally(), time.monotonic(), dict(os.environ)
    with contextlib.chdir(os.getcwd()):  # returns to the working directory if a class changes it
        attack.run(means, tally)
    os.environ.clear()
    os.environ.update(environment)
    promise = (sys.modules[attack.run.__module__].__doc__ or "").partition("\n")[0]
    least, seconds = round(attack.LEAST * min(1.0, means.factor)), time.monotonic() - begun
    fell = ", ".join(f"{count} {kind}" for kind, count in sorted(tally.fell.items())) or "none fell"
    print(f"{name:<12} {tally.survived:>6} of {tally.made:<6} {fell:<24} {seconds:>5.0f} s  {promise}", flush=True)
    if tally.made < least:
        print(f"    only {tally.made} attacks were made; {least} are the least")
    for line in tally.told[:TOLD]:
        print(f"    {line}")
    if len(tally.told) > TOLD:
        print(f"    … and {len(tally.told) - TOLD} more")
    return tally.made >= least and tally.survived == tally.made
