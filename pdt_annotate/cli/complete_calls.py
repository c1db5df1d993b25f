"""What the name of an example call could be, for shell completion."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import click
from click.shell_completion import CompletionItem

from pdt_annotate import settings
from pdt_annotate.inputs.target import spec_source
from pdt_annotate.settings.table import GRAPH
from pdt_annotate.values.errors import PdtError
from pdt_annotate.values.runs import SpecSource


def complete_call(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The calls of the spec that the line names, or else the configuration for its targets."""
    from pdt_annotate.inputs.call_names import call_names  # noqa: PLC0415 - for completion alone

    names: list[str] = []
    with contextlib.suppress(PdtError):  # a mistake is told by the command itself
        names = [name for spec in _specs(ctx) for name in call_names(spec)]
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.startswith(incomplete)]


def _specs(ctx: click.Context) -> Iterator[SpecSource]:
    """An option without its value ends click's reading of the line: what stands before it is left in `ctx.args`."""
    inputs, arg = ctx.params.get("inputs"), ctx.params.get("arg")
    if inputs or arg:
        yield spec_source(inputs or "", arg or ())
    else:
        yield from (run.options.spec for run in settings.load(GRAPH, ctx.params.get("targets") or ctx.args).runs)
