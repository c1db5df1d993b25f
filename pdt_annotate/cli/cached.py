"""The cache, as the commands use it: answers in the place of runs, and runs that answer the next time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import click

from pdt_annotate.cache import commands, entries
from pdt_annotate.config import Options
from pdt_annotate.ir import Outcome, Verdict
from pdt_annotate.settings import Run


def answer(runs: Sequence[Run]) -> bool:
    """Say what is known of the runs, if nothing has changed for any of them; and whether it was so."""
    said = _say(runs)
    if said is not None:
        for line in said:
            click.echo(line, err=True)
        remember(runs)
    return said is not None


def find(options: Options) -> Outcome | None:
    """The outcome of a run for which nothing has changed since it was verified and found done."""
    entry = entries.find(options)
    if entry is None or not entry.said:
        return None
    return Outcome(
        targets=options.targets,
        root=options.root,
        verdicts=tuple(Verdict(judge, ok=True) for judge in entry.judges),
        verified=True,
        closure=entry.closure,
    )


def keep(options: Options, outcome: Outcome, started_ns: int) -> None:
    """Keep an outcome that was delivered; `started_ns` is when its run began, or before."""
    from pdt_annotate.emit.words import judgement  # noqa: PLC0415

    entries.keep(options, outcome, judgement(outcome), started_ns)


def remember(runs: Sequence[Run]) -> None:
    """Remember the command line, where all that it asks to run is answered now."""
    words = click.get_current_context().obj
    roots = {run.options.root for run in runs}
    said = _say(runs)
    if words is None or said is None or len(roots) != 1:
        return
    names = [entry.name for run in runs if (entry := entries.find(run.options))]
    commands.remember(words, roots.pop(), names, said, _configuration(runs))


def _say(runs: Sequence[Run]) -> list[str] | None:
    """What the answers say, a line for each run; None where one is missing."""
    lines = []
    for run in runs:
        entry = entries.find(run.options)
        if entry is None or not entry.said:
            return None
        if run.options.verbosity >= 0:
            lines.append(f"{run.name}: {entry.said}" if len(runs) > 1 else entry.said)
    return lines if runs else None


def _configuration(runs: Iterable[Run]) -> set[str]:
    """The configuration files that are named, and the directories from which they are looked for otherwise."""
    named = {str(run.values["config"].value) for run in runs} - {""}
    files = {each.file for run in runs for each in run.options.targets} - {""}
    return {os.path.abspath(file) for file in named} | {os.path.dirname(os.path.abspath(file)) for file in files}
