"""`pdt-annotate captures`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pdt_annotate.cli.ended import TellingDocuments
from pdt_annotate.cli.export import emit_export
from pdt_annotate.cli.group import main_group
from pdt_annotate.cli.load import Run, load_named
from pdt_annotate.cli.options import CAPTURES, TARGETS, options_of
from pdt_annotate.cli.trace_mend import emit_trace_mends
from pdt_annotate.cli.working import working
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.exits import EXIT_DONE, EXIT_UNMET

if TYPE_CHECKING:
    from pdt_annotate.values.captures import Captures

EMITTED: Mapping[str, Callable[[Options], int]] = {"export": emit_export, "trace-mend": emit_trace_mends}
"""By the value of `--emit`, what writes something else than what came of each way."""


@main_group.command(params=[TARGETS, *options_of(CAPTURES)])
def captures(targets: tuple[str, ...], **_: Any) -> int:
    """Try every way of capturing each TARGET: does it succeed, is it one graph, does it answer right?"""
    loaded = load_named(CAPTURES, targets)
    emit = EMITTED.get(loaded.runs[0].options.emit)
    if emit:
        _refuse_one_file(loaded.runs)
        return max(emit(run.options) for run in loaded.runs)
    if len(loaded.runs) > 1:
        from pdt_annotate.cli.several import captures_several  # noqa: PLC0415

        return captures_several(loaded.runs, loaded.jobs, present, write_documents)
    return _captures(loaded.runs[0].options)


def _refuse_one_file(runs: Sequence[Run]) -> None:
    """Before any of them runs: what `--emit` writes is of one target."""
    if sum(len(run.options.targets) for run in runs) > 1 and any(run.options.output for run in runs):
        raise UserError("-o names one file, and each target gets one of its own", hint="name one target")


def _captures(options: Options) -> int:
    with working(options) as (zygote, report, progress):
        from pdt_annotate.flows import captures as flow  # noqa: PLC0415

        found = flow.captures(options, zygote, progress)
    with TellingDocuments([options]):
        code = present(found, options, report)
    write_documents(found, options)
    return code


def present(found: Sequence[Captures], options: Options, report: Any) -> int:
    """Show people what came of each way, and what was required and is not so; the exit code."""
    from pdt_annotate.emit.terminal.captures import captures_lines  # noqa: PLC0415
    from pdt_annotate.emit.terminal.console import print_lines  # noqa: PLC0415

    if options.verbosity >= 0 and not options.output:
        in_full = options.verbosity > 0
        stream = sys.stderr if options.json == "-" else sys.stdout
        print_lines(lambda width: captures_lines(found, width, in_full=in_full), options, stream)
    report.unmet(found)
    return EXIT_DONE if all(each.met for captures in found for each in captures.required) else EXIT_UNMET


def write_documents(found: Sequence[Captures], options: Options) -> None:
    """Write what is asked for in files: the table, JSON, and the page."""
    from pdt_annotate.emit import html  # noqa: PLC0415
    from pdt_annotate.emit.files import write_document  # noqa: PLC0415
    from pdt_annotate.emit.machine import json_file  # noqa: PLC0415
    from pdt_annotate.emit.terminal.captures import captures_lines  # noqa: PLC0415
    from pdt_annotate.emit.terminal.console import plain_text  # noqa: PLC0415

    if options.output:
        in_full = options.verbosity > 0
        text = plain_text(lambda width: captures_lines(found, width, in_full=in_full))
        write_document(options.output, text.encode())
    if options.json:
        json_file.emit_captures(found, options.json, sys.stdout.buffer)
    if options.html:
        html.emit_captures(found, options.html)
