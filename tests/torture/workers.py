"""Attacks in forked workers: what is imported is imported once, and what ends a worker is an attack that fell."""

from __future__ import annotations

import os
import pickle
import signal
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from tally import BUG, Tally

T = TypeVar("T")

Fell = list[tuple[str, str]]
PATIENCE = 60
"""Seconds for one attack; SIGALRM ends what takes longer."""
AT_ONCE = 50


def attack_in_workers(attack: Callable[[T], Fell], each: Sequence[T], name: Callable[[T], str], tally: Tally) -> None:
    """Make an attack of each, some dozen in one process, as many processes at once as there are cores.

    Args:
        attack: what fell, for `Tally.count`; an exception is a bug of the tool's.
        name: of an attack, so that a person can make it again.
    """
    groups = [each[start : start + AT_ONCE] for start in range(0, len(each), AT_ONCE)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for group, found in zip(groups, pool.map(lambda group: _in_a_fork(attack, group), groups), strict=True):
            for index, one in enumerate(group[: len(found) + 1]):
                # What comes behind one that ended the worker was not made.
                tally.count(name(one), *(found[index] if index < len(found) else [(BUG, "it ended the process")]))


def _in_a_fork(attack: Callable[[T], Fell], group: Sequence[T]) -> list[Fell]:
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        _work(attack, group, writer)
        os._exit(0)
    os.close(writer)
    found: list[Fell] = []
    with os.fdopen(reader, "rb") as stream:
        while True:
            try:
                found.append(pickle.load(stream))
            except (EOFError, pickle.UnpicklingError):
                break
    os.waitpid(child, 0)
    return found


def _work(attack: Callable[[T], Fell], group: Sequence[T], writer: int) -> None:
    with os.fdopen(writer, "wb") as stream:
        for one in group:
            signal.alarm(PATIENCE)
            try:
                fell = attack(one)
            except BaseException as error:
                fell = [(BUG, "".join(traceback.format_exception(error))[-800:])]
            signal.alarm(0)
            stream.write(pickle.dumps(fell))
            stream.flush()
