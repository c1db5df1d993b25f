"""What a TARGET on the command line could be, for shell completion."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from pdt_annotate.target_names import names_in, places


def complete_target(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The targets that begin so: files and modules first, then the functions and classes in one of them."""
    return [CompletionItem(text) for text in _targets(incomplete)]


def _targets(incomplete: str) -> Iterator[str]:
    place, colon, name = incomplete.rpartition(":")
    if colon:
        yield from (f"{place}:{each}" for each in names_in(place, Path.cwd()) if each.startswith(name))
    else:
        yield from (f"{each}:" for each in places(Path.cwd()) if each.startswith(incomplete))
