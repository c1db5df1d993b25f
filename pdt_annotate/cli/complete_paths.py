"""What completes a path: the shell itself, for it knows best; behind the colon of FILE:NAME, the names in the file."""

from __future__ import annotations

import os

import click
from click.shell_completion import CompletionItem

DIRECTORY = "DIR"
"""The metavar of an option that takes a directory."""


def complete_path(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete a file, or a directory where the option takes one."""
    return [CompletionItem(incomplete, type="dir" if param.metavar == DIRECTORY else "file")]


def complete_inputs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The same for example calls, whose file may be followed by a name in it."""
    from pdt_annotate.source.bound_names import bound_names  # noqa: PLC0415 - for completion alone

    file, colon, begun = incomplete.rpartition(":")
    if not (colon and os.path.isfile(file)):
        return complete_path(ctx, param, incomplete)
    names = sorted(name for name in bound_names(file) or () if name.startswith(begun) and not name.startswith("__"))
    return [CompletionItem(f"{file}:{name}") for name in names]
