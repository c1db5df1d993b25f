"""Words on stderr in addition to those of the report."""

from __future__ import annotations

import click

from pdt_annotate.values.printable import disarm


def say(text: str) -> None:
    """Print text, whatever stands in it."""
    click.echo(disarm(text), err=True)
