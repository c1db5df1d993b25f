"""`pdt-annotate explain CODE`."""

from __future__ import annotations

import click

from pdt_annotate.cli.group import main_group
from pdt_annotate.findings import catalogue
from pdt_annotate.values.errors import UserError


@main_group.command()
@click.argument("code", default="")
def explain(code: str) -> None:
    """Say what a finding such as PDT010 means and what to do; without CODE, list all."""
    if not code:
        for entry in catalogue.CATALOGUE.values():
            click.echo(f"{entry.code}  {entry.title}")
        return
    if code.upper() not in catalogue.CATALOGUE:
        raise UserError(f"there is no finding {code}", hint="`pdt-annotate explain` lists all")
    entry = catalogue.entry(code.upper())
    example = "\n".join(f"    {line}" for line in entry.example.strip().splitlines())
    click.echo(f"{entry.code}  {entry.title}\n\n{entry.meaning}\n\n{example}\n\nWhat to do: {entry.advice}")
