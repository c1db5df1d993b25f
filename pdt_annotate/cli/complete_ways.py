"""What the names of ways of capturing could be, for shell completion."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def complete_ways(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names that begin as what follows the last comma does, but for those before it."""
    from pdt_annotate.captures.table import WAYS  # noqa: PLC0415

    given, comma, begun = incomplete.rpartition(",")
    known = [way for way in WAYS if way.name.startswith(begun) and way.name not in given.split(",")]
    return [CompletionItem(f"{given}{comma}{way.name}", help=way.title) for way in known]


def complete_graph(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The ways whose graph can be shown."""
    from pdt_annotate.captures.table import GRAPHED  # noqa: PLC0415

    return [CompletionItem(name, help=way.title) for name, way in GRAPHED.items() if name.startswith(incomplete)]
