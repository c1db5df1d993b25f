"""What a run says of its stages, and what it spent its time on."""

from __future__ import annotations

import time

import pytest

from pdt_annotate.values.progress import Stopwatch, Timing, add_up


def test_nothing_took_any_time() -> None:
    assert Stopwatch(lambda stage: None).read() == ()
    assert add_up(()) == ()


def test_a_stage_ends_where_the_next_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter((1.0, 3.0, 3.5))
    monkeypatch.setattr(time, "monotonic", lambda: next(now))
    told: list[str] = []
    watch = Stopwatch(told.append)
    watch("one")
    watch("two")
    assert told == ["one", "two"]
    assert watch.read() == (Timing("one", 2.0), Timing("two", 0.5))


def test_what_was_done_often_is_added_up_and_the_longest_comes_first() -> None:
    done = [Timing("quick", 1), Timing("slow", 2), Timing("quick", 0.5)]
    assert add_up(done) == (Timing("slow", 2), Timing("quick", 1.5, 2))
