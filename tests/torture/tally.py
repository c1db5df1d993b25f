"""What the classes of attacks share: what they may spend, and the count of what they made and what survived."""

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
"""What may fall: a byte of the user's is gone, or files are some new and some old; exit code 70 or 120, or a traceback
of ours; a temporary file or a process; anything else that a class promises."""
TOLD = 20
REFUSED = 2
ACTING = re.compile(
    "[\0-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ud800-\\udfff]"
    r"|^\s*::|##\[",
    re.MULTILINE,
)
"""What a terminal or GitHub's runner would obey, or cannot show."""


@dataclass(frozen=True)
class Means:
    """What a class may spend.

    Args:
        seed: of all that is drawn; a run with the same seed draws the same.
        factor: how many times as many attacks as in ten minutes.
    """

    seed: int
    factor: float = 1.0

    def random(self, *of: object) -> random.Random:
        """Drawn numbers of their own for one purpose: those of another do not move them."""
        return random.Random(repr((self.seed, *of)))

    def times(self, count: int) -> int:
        """How many attacks to make where `count` fit into the ten minutes."""
        return max(1, round(count * self.factor))


@dataclass
class Tally:
    """What came of the attacks of one class, from any thread."""

    made: int = 0
    survived: int = 0
    fell: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def count(self, attack: str, *fell: tuple[str, str]) -> None:
        """One attack was made, described so that a person can make it again; by what fell, what is to be seen of it."""
        with self._lock:
            self.made += 1
            self.survived += not fell
            self.fell.update(kind for kind, _ in fell)
            self.told.extend(f"{kind}: {attack}: {seen}" for kind, seen in fell)


class Attack(Protocol):
    """A class of attacks: a module of `classes/`, whose docstring's first line says what it promises."""

    LEAST: int
    """Attacks that ten minutes have to be enough for; fewer, and the class has proven nothing."""

    def run(self, means: Means, tally: Tally) -> None: ...


def refusal_faults(error: PdtError, *names: str) -> list[tuple[str, str]]:
    """What is wrong with what the command prints of an error that has to name one of these."""
    said = io.StringIO()
    said.isatty = lambda: True  # type: ignore[method-assign]  # where nothing is taken out
    with contextlib.redirect_stderr(said):
        code = report_error(error)
    words = said.getvalue()
    found = [(WRONG, f"exit {code}: {words[:300]!r}")] if code != REFUSED else []
    if not any("".join(name.split()) in "".join(words.split()) for name in names):  # lines are wrapped
        found.append((WRONG, f"it names none of {names}: {words[:300]!r}"))
    if acting := ACTING.search(words):
        found.append((WRONG, f"it prints {acting[0]!r}: {words[:300]!r}"))
    return found


def side_by_side(work: Callable[[T], None], items: Iterable[T]) -> None:
    """Do work that waits for processes, as much at once as there are cores. The first exception is raised."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for _ in pool.map(work, items):
            pass


def judge(name: str, attack: Attack, means: Means) -> bool:
    """Make the attacks of a class, and print what came of them; whether all held."""
    tally, begun, environment = Tally(), time.monotonic(), dict(os.environ)
    with contextlib.chdir(os.getcwd()):  # and back, wherever a class leaves us
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
