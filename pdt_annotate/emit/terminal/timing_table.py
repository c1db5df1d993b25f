"""`--timings`: what a run spent its time on, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from pdt_annotate.values.progress import Timing, Timings

GAP = 2


def timing_lines(timings: Timings) -> Iterator[Text]:
    """A row for each stage in its order, then one for each kind of task that was asked of other processes in them."""
    stages = [(each.name, _seconds(each)) for each in timings.stages]
    tasks = [(f"  asked of other processes: {each.name} ({each.times})", _seconds(each)) for each in timings.tasks]
    rows = [("stage", "seconds"), *stages, *tasks]
    name, seconds = (max(map(len, column)) for column in zip(*rows, strict=True))
    for index, row in enumerate(rows):
        style = "" if 0 < index <= len(stages) else "dim"
        yield Text(f"{row[0]:<{name + GAP}}{row[1]:>{seconds}}", style=style)


def _seconds(timing: Timing) -> str:
    return f"{timing.seconds:.2f}"
