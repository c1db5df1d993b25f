"""How long captured calls take, beside eager ones."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from pdt_annotate.values.runs import Call
from pdt_annotate.verify.judges.clones import clone

SECONDS = 0.1
"""That the repeats of one call may take together, but for the first."""

MOST = 30

UNTIMED = 3
"""Calls before the first that is timed: the compiler of TorchScript optimizes in the second and the third."""


def time_call(function: Callable[..., Any], call: Call) -> float:
    """The median of a few warm repeats, in seconds.

    Raises:
        Exception: whatever the call raises, though it has answered before.
    """
    for _ in range(UNTIMED):
        _time_once(function, call)
    return statistics.median(_repeat(function, call))


def _repeat(function: Callable[..., Any], call: Call) -> Iterator[float]:
    deadline = time.perf_counter() + SECONDS
    for number in range(MOST):
        yield _time_once(function, call)
        if number and time.perf_counter() > deadline:
            return


def _time_once(function: Callable[..., Any], call: Call) -> float:
    args, kwargs = clone((call.args, dict(call.kwargs)))
    begun = time.perf_counter()
    function(*args, **kwargs)
    return time.perf_counter() - begun
