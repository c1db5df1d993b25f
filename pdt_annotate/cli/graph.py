"""`pdt-annotate graph`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pdt_annotate.cli.ended import say
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.options import TARGETS, options_of
from pdt_annotate.cli.run_options import Run, load_named
from pdt_annotate.cli.working import working
from pdt_annotate.settings.options import STDOUT, Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.exits import EXIT_DONE

if TYPE_CHECKING:
    from pdt_annotate.values.graphs import Graph


@main_group.command(params=[TARGETS, *options_of("graph")])
def graph(targets: tuple[str, ...], **_: Any) -> int:
    """Show the computation graph of a TARGET: operators, source lines, modules, and the shapes of a real call."""
    from pdt_annotate.graphs.graph_formats import format_of  # noqa: PLC0415

    loaded = load_named("graph", targets)
    formats = [format_of(run.options.format, run.options.output) for run in loaded.runs]
    _refuse_several(loaded.runs, formats)
    for run, form in zip(loaded.runs, formats, strict=True):
        with working(run.options) as (zygote, _report, progress):
            from pdt_annotate.flows import captures as flow  # noqa: PLC0415

            done = flow.graph(run.options, zygote, progress)
        _present(done, form, run.options)
    return EXIT_DONE


def _refuse_several(runs: Sequence[Run], formats: Sequence[str]) -> None:
    from pdt_annotate.graphs.graph_formats import TEXT  # noqa: PLC0415

    targets = [target.text for run in runs for target in run.options.targets]
    if len(targets) < 2:
        return
    files = [run.options.output for run in runs if run.options.output not in ("", STDOUT)]
    if files:
        raise UserError(f"{len(targets)} graphs do not go into one file", file=files[0], hint="name one target")
    if set(formats) != {TEXT}:
        raise UserError(f"{len(targets)} graphs are no one document", hint="name one target, or --format text")


def _present(graphs: Sequence[Graph], form: str, options: Options) -> None:
    from pdt_annotate.emit.files import write, write_document  # noqa: PLC0415
    from pdt_annotate.emit.terminal.console import print_text  # noqa: PLC0415
    from pdt_annotate.graphs.graph_formats import FORMATS, MOST_BOXES, TEXT, GraphView  # noqa: PLC0415
    from pdt_annotate.graphs.listing import render  # noqa: PLC0415

    if form in ("svg", "dot") and options.verbosity >= 0 and not options.depth:
        # A picture of many nodes is slow to read, and an option reduces them.
        count = sum(1 for graph in graphs for _ in graph.walk())
        if count > 2 * MOST_BOXES:
            say(f"{count} nodes; --depth 1 draws each module as one, and -o NAME.html has every depth")
    to_file = options.output not in ("", STDOUT)
    folder = os.path.dirname(os.path.abspath(options.output)) if to_file else os.getcwd()
    view = GraphView(options.depth, options.root, folder)
    if to_file:
        write_document(options.output, b"".join(FORMATS[form](each, view) for each in graphs))
    elif form == TEXT:
        print_text(lambda width: "\n".join(render(view.of(each), width) for each in graphs), options, sys.stdout)
    else:
        write(sys.stdout.buffer, b"".join(FORMATS[form](each, view) for each in graphs))
