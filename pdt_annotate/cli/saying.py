"""Words on stderr beside those of the report, and what the user's code prints there."""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator

import click

from pdt_annotate.values.printable import disarm

STDERR = 2


def say(text: str) -> None:
    """Print text, whatever stands in it."""
    click.echo(disarm(text), err=True)


@contextlib.contextmanager
def repeating() -> Iterator[None]:
    """What is printed meanwhile is the user's code's, as it stands; in a step on GitHub the runner obeys none of it.

    The word that ends this is drawn, so that the code cannot say it:
    https://docs.github.com/actions/using-workflows/workflow-commands-for-github-actions#stopping-and-starting-workflow-commands
    """
    if os.environ.get("GITHUB_ACTIONS") != "true":
        yield
        return
    token = secrets.token_hex(16)
    _write(f"::stop-commands::{token}\n")
    try:
        yield
    finally:
        _write(f"\n::{token}::\n")


def _write(line: str) -> None:
    with contextlib.suppress(OSError):  # nobody hears it
        os.write(STDERR, line.encode())
