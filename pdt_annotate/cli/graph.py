"""`pdt-annotate graph`."""

from __future__ import annotations

from typing import Any

import click

from pdt_annotate.cli.exits import EXIT_DONE
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.options import load_named, options_of, target_argument
from pdt_annotate.cli.working import working
from pdt_annotate.settings import GRAPH


@main_group.command()
@target_argument
@options_of(GRAPH)
def graph(targets: tuple[str, ...], **_: Any) -> int:
    """Show the computation graph of a TARGET: operators, source lines, modules, and the shapes of a real call."""
    loaded = load_named(GRAPH, targets)
    for run in loaded.runs:
        with working(run.options) as (zygote, _report, progress):
            from pdt_annotate.flows import graph as flow  # noqa: PLC0415

            done = flow.graph(run.options, zygote, progress)
        for each in done:
            click.echo(f"{each.target}: {len(list(each.walk()))} nodes")
    return EXIT_DONE
