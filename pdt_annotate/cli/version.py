"""`--version`: the tool's, and those of the packages that decide what it finds."""

from __future__ import annotations

import click


def show_version(ctx: click.Context, param: click.Parameter, wanted: bool) -> None:
    """Print the versions and end the command."""
    if not wanted:
        return
    from pdt_annotate.settings.versions import versions  # noqa: PLC0415 - packages' metadata is slow to import

    for name, version in versions().items():
        click.echo(f"{name} {version or 'is not installed'}")
    ctx.exit()
