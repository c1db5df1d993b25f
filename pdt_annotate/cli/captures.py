"""`pdt-annotate captures`."""

from __future__ import annotations

import sys
from typing import Any

from pdt_annotate.cli.exits import EXIT_DONE
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.options import load_named, options_of, target_argument
from pdt_annotate.cli.trace_mend import TRACE_MEND, emit_trace_mends
from pdt_annotate.cli.working import working
from pdt_annotate.settings import CAPTURES
from pdt_annotate.settings.options import Options


@main_group.command()
@target_argument
@options_of(CAPTURES)
def captures(targets: tuple[str, ...], **_: Any) -> int:
    """Try every way of capturing each TARGET: does it succeed, is it one graph, does it answer right?"""
    loaded = load_named(CAPTURES, targets)
    if loaded.runs[0].options.emit == TRACE_MEND:
        return emit_trace_mends(loaded.runs)
    for run in loaded.runs:
        with working(run.options) as (zygote, report, progress):
            from pdt_annotate.flows import captures as flow  # noqa: PLC0415

            done = flow.captures(run.options, zygote, progress)
        _present(done, run.options, report)
    return EXIT_DONE


def _present(found: Any, options: Options, _report: Any) -> int:
    """Show people what came of each way; the exit code."""
    from pdt_annotate.emit.terminal.captures import captures_lines  # noqa: PLC0415
    from pdt_annotate.emit.terminal.printing import print_lines  # noqa: PLC0415

    if options.verbosity >= 0:
        in_full = options.verbosity > 0
        stream = sys.stderr if options.json == "-" else sys.stdout
        print_lines(lambda width: captures_lines(found, width, in_full=in_full), options, stream)
    return EXIT_DONE
