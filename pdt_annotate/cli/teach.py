"""What `pdt-annotate` says where nothing tells it what to do."""

from __future__ import annotations

from collections.abc import Mapping

import click

from pdt_annotate.cli.exits import EXIT_DONE
from pdt_annotate.settings.options import TARGET_HINT
from pdt_annotate.values.errors import TargetError

NO_TARGETS = """
No target is configured here, so there is nothing to run without one. `pdt-annotate init --config TARGET -i FILE`
configures one in pyproject.toml."""


def teach(given: Mapping[str, object]) -> int:
    """Show the help, where nothing at all was given.

    Raises:
        TargetError: something was, but no target.
    """
    if given:
        raise TargetError("no target", hint=TARGET_HINT)
    click.echo(click.get_current_context().find_root().get_help())
    click.echo(NO_TARGETS)
    return EXIT_DONE
