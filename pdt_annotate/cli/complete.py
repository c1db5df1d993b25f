"""What could be typed next, for shell completion: targets, example calls, and ways of capturing."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from pdt_annotate.values.errors import PdtError


def complete_target(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The targets that begin so: configured ones, then modules and files, then functions and classes in one of them."""
    return [CompletionItem(text) for text in dict.fromkeys(_targets(incomplete))]


def _targets(incomplete: str) -> Iterator[str]:
    from pdt_annotate.cli.load import load  # noqa: PLC0415 - it imports the options, which name what completes them
    from pdt_annotate.inputs.target_names import names_in, places  # noqa: PLC0415

    with contextlib.suppress(PdtError):  # the command itself reports a mistake in pyproject.toml
        configured = [target.text for run in load("annotate").runs for target in run.options.targets]
        yield from (target for target in configured if target.startswith(incomplete))
    place, colon, name = incomplete.rpartition(":")
    if colon:
        yield from (f"{place}:{each}" for each in names_in(place, Path.cwd()) if each.startswith(name))
    else:
        yield from (f"{each}:" for each in places(Path.cwd()) if each.startswith(incomplete))


def complete_call(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The names of the calls of the spec that the line names, or else the configuration for its targets.

    An option without its value ends click's reading of the line: what stands before it is left in `ctx.args`.
    """
    from pdt_annotate.cli.load import load  # noqa: PLC0415 - it imports the options, which name what completes them
    from pdt_annotate.inputs.specs import call_names  # noqa: PLC0415
    from pdt_annotate.inputs.target import spec_source  # noqa: PLC0415

    inputs, arg = ctx.params.get("inputs"), ctx.params.get("arg")
    names: list[str] = []
    with contextlib.suppress(PdtError):  # the command itself reports a mistake
        if inputs or arg:
            specs = [spec_source(inputs or "", arg or ())]
        else:
            specs = [run.options.spec for run in load("graph", ctx.params.get("targets") or ctx.args).runs]
        names = [name for spec in specs for name in call_names(spec)]
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(incomplete)]


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
