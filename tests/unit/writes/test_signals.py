"""Signals that end a process: heard after what may not be interrupted, and as an exception otherwise."""

from __future__ import annotations

import signal

import pytest

from pdt_annotate.cli.ended import Ended, raising
from pdt_annotate.writes.signals import ENDING, held


def test_handlers_are_given_back() -> None:
    before = [signal.getsignal(number) for number in ENDING]
    with raising(), held():
        assert [signal.getsignal(number) for number in ENDING] != before
    assert [signal.getsignal(number) for number in ENDING] == before


@pytest.mark.parametrize("number", ENDING)
def test_what_is_begun_comes_to_its_end_first(number: int) -> None:
    done = []
    with raising(), pytest.raises(KeyboardInterrupt) as raised, held():
        signal.raise_signal(number)
        done.append("to the end")
    assert done
    assert isinstance(raised.value, Ended) is (number != signal.SIGINT)


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with raising(), held():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
