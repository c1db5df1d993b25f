"""What a TARGET on the command line could be, for shell completion."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from pdt_annotate import settings
from pdt_annotate.inputs.target_names import names_in, places
from pdt_annotate.values.errors import PdtError


def complete_target(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The targets that begin so: configured ones, then modules and files, then functions and classes in one of them."""
    return [CompletionItem(text) for text in dict.fromkeys(_targets(incomplete))]


def _configured() -> Iterator[str]:
    with contextlib.suppress(PdtError):  # a mistake in pyproject.toml is told by the command itself
        for run in settings.load(settings.ANNOTATE).runs:
            yield from (target.text for target in run.options.targets)


def _targets(incomplete: str) -> Iterator[str]:
    yield from (target for target in _configured() if target.startswith(incomplete))
    place, colon, name = incomplete.rpartition(":")
    if colon:
        yield from (f"{place}:{each}" for each in names_in(place, Path.cwd()) if each.startswith(name))
    else:
        yield from (f"{each}:" for each in places(Path.cwd()) if each.startswith(incomplete))
