"""`--timings`: what a run spent its time on, as a table."""

from __future__ import annotations

from rich.table import Table

from pdt_annotate.values.progress import Timing, Timings


def timing_table(timings: Timings) -> Table:
    """A row for each stage in its order, then one for each kind of task that was asked of other processes in them."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("stage", overflow="fold")
    table.add_column("seconds", justify="right")
    for stage in timings.stages:
        table.add_row(stage.name, _seconds(stage))
    for task in timings.tasks:
        table.add_row(f"  asked of other processes: {task.name} ({task.times})", _seconds(task), style="dim")
    return table


def _seconds(timing: Timing) -> str:
    return f"{timing.seconds:.2f}"
