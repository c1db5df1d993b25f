"""`pdt-annotate captures`."""

from __future__ import annotations

from typing import Any

import click

from pdt_annotate.cli.exits import EXIT_DONE
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.options import load_named, options_of, target_argument
from pdt_annotate.cli.working import working
from pdt_annotate.settings import CAPTURES


@main_group.command()
@target_argument
@options_of(CAPTURES)
def captures(targets: tuple[str, ...], **_: Any) -> int:
    """Try every way of capturing each TARGET: does it succeed, is it one graph, does it answer right?"""
    loaded = load_named(CAPTURES, targets)
    for run in loaded.runs:
        with working(run.options) as (zygote, _report, progress):
            from pdt_annotate.flows import captures as flow  # noqa: PLC0415

            done = flow.captures(run.options, zygote, progress)
        for each in done:
            click.echo(f"{each.target.text}, {each.version}")
            for capture in each.captures:
                click.echo(f"  {capture.way:<16} {capture.fate.value}")
    return EXIT_DONE
