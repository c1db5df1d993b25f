"""Attacks in forked processes: imports are made once, and a process without threads can trace others."""

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import TypeVar

from tally import BUG, Tally

T = TypeVar("T")

Fell = list[tuple[str, str]]
Result = tuple[str, Fell]
"""The description of an attack, which suffices to repeat it, and its failures."""
PATIENCE = 60
"""The time limit of one attack, in seconds. SIGALRM ends a process that takes longer."""


def in_processes(work: Callable[[T], Iterable[Result]], attacks: Iterable[T], tally: Tally) -> None:
    """Make attacks in as many processes as there are cores. An exception is a bug of the tool."""
    with ProcessPoolExecutor(os.cpu_count(), multiprocessing.get_context("fork")) as pool:
        for results in pool.map(partial(_make, work), attacks, chunksize=8):
            for attack, fell in results:
                tally.count(attack, *fell)


def _make(work: Callable[[T], Iterable[Result]], attack: T) -> list[Result]:
    signal.alarm(PATIENCE)
    try:
        return list(work(attack))
    except Exception as error:
        return [(f"{attack!s:.500}", [(BUG, "".join(traceback.format_exception(error))[-800:])])]
    finally:
        signal.alarm(0)
