"""What a call runs through: the traps on its lines, and exceptions that are raised on purpose."""

from __future__ import annotations

import functools
import os
from typing import Any

import pytest

from pdt_annotate.processes.child.probes.executed import is_raised_on_purpose, place_of, traps_met
from pdt_annotate.values.further import Trap
from pdt_annotate.values.places import NO_PLACE, Place


def plain(n: int) -> int:
    if n > 3:
        n = -n
    return n


def wrapped(function: Any) -> Any:
    @functools.wraps(function)
    def wrapper(n: int) -> Any:
        return function(n)

    return wrapper


@wrapped
def decorated(n: int) -> int:
    return 6 // n


def refuse(n: int) -> None:
    if n:
        raise ValueError("no")
    assert not n, "no"


def trap(line: int) -> Trap:
    return Trap("PDT100", "", Place(__file__, line, 3))


FIRST = plain.__code__.co_firstlineno
DECORATOR = decorated.__wrapped__.__code__.co_firstlineno


def test_only_lines_that_run_are_met() -> None:
    traps = [trap(FIRST + 1), trap(FIRST + 2), Trap("PDT100", "", Place("other.py", FIRST + 1))]
    assert traps_met(lambda: plain(1), traps) == (traps[0],)
    assert traps_met(lambda: plain(4), traps) == (traps[0], traps[1])


def test_the_head_of_a_function_is_met_and_an_exception_is_no_matter() -> None:
    traps = (trap(DECORATOR), trap(DECORATOR + 1))
    assert traps_met(lambda: decorated(0), traps) == traps


def error_of(run: Any) -> Exception:
    with pytest.raises(Exception) as raised:
        run()
    return raised.value


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda: refuse(1), True),
        (lambda: decorated(0), False),
        (lambda: int("x"), False),
        (lambda: [][0], False),
    ],
)
def test_a_raise_is_known_from_an_operation_that_fails(run: Any, expected: bool) -> None:
    assert is_raised_on_purpose(error_of(run)) is expected


def test_the_place_is_the_innermost_below_the_root() -> None:
    error = error_of(lambda: decorated(0))
    assert place_of(error, os.path.dirname(__file__)) == Place(__file__, DECORATOR + 2)
    assert place_of(error, "/nowhere") == NO_PLACE
