"""`--timings`, as a person sees it."""

from __future__ import annotations

from pdt_annotate.emit.terminal.timing_table import timing_lines
from pdt_annotate.values.progress import Timing, Timings


def test_stages_in_their_order_then_what_was_asked_in_them() -> None:
    timings = Timings((Timing("running", 0.25), Timing("looking", 12.5)), (Timing("attempt", 11.004, 3),))
    lines = [line.plain.split("  ") for line in timing_lines(timings)]
    rows = [[cell.strip() for cell in line if cell.strip()] for line in lines]
    assert rows == [
        ["stage", "seconds"],
        ["running", "0.25"],
        ["looking", "12.50"],
        ["asked of other processes: attempt (3)", "11.00"],
    ]
