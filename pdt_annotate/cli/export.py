"""`captures --emit export`: the file with which torch.export takes a target, written or printed."""

from __future__ import annotations

import click

from pdt_annotate.cli.group import PROGRAM
from pdt_annotate.cli.working import working
from pdt_annotate.settings.options import Options
from pdt_annotate.values import shell
from pdt_annotate.values.exits import EXIT_DONE


def emit_export(options: Options) -> int:
    """Write or print the file of every target; the exit code.

    Raises:
        PdtError: as `flows.export` says.
    """
    command = shell.join((PROGRAM, *(click.get_current_context().obj or ())))
    with working(options) as (zygote, report, progress):
        from pdt_annotate.emit.files import write_document  # noqa: PLC0415
        from pdt_annotate.emit.words import plural  # noqa: PLC0415
        from pdt_annotate.flows.export import export  # noqa: PLC0415

        exported = export(options, zygote, command, progress)
    for each in exported:
        if options.output:
            write_document(options.output, each.text.encode())
        else:
            click.echo(each.text, nl=False)
        calls = plural(len(each.served), "example call")
        done = f"wrote {options.output}" if options.output else "printed"
        report.finished(each.findings, f"{done}; the exported program answers like eager mode on {calls}")
    return EXIT_DONE
