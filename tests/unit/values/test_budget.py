"""How much time is left."""

from __future__ import annotations

import time

from pdt_annotate.values.budget import UNBOUNDED, Budget


def test_without_bounds_there_is_always_time() -> None:
    assert not UNBOUNDED.is_spent


def test_it_counts_from_when_it_was_made() -> None:
    budget = Budget(60, time.monotonic() - 50)
    assert not budget.is_spent and 0 < budget.left <= 10


def test_what_is_spent_stays_spent() -> None:
    budget = Budget(60, time.monotonic() - 70)
    assert budget.is_spent and budget.left == 0
    assert Budget(0).is_spent
