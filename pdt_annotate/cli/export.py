"""`captures --emit export`: the file with which torch.export takes a target, written or printed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from pdt_annotate.cli.exits import EXIT_DONE
from pdt_annotate.cli.group import PROGRAM
from pdt_annotate.cli.working import working
from pdt_annotate.settings.options import Options
from pdt_annotate.values import shell

if TYPE_CHECKING:
    from pdt_annotate.values.exports import Exported


def emit_export(options: Options) -> int:
    """Write or print the file of every target; the exit code.

    Raises:
        PdtError: as `flows.export` says.
    """
    command = shell.join((PROGRAM, *(click.get_current_context().obj or ())))
    with working(options) as (zygote, report, progress):
        from pdt_annotate.flows.export import export  # noqa: PLC0415

        exported = tuple(export(options, zygote, command, progress))
    for each in exported:
        _deliver(each, options, report)
    return EXIT_DONE


def _deliver(exported: Exported, options: Options, report: Any) -> None:
    if options.output:
        _write(options.output, exported.text)
    else:
        click.echo(exported.text, nl=False)
    report.finished(exported.findings, _closing(exported, options.output))


def _write(file: str, text: str) -> None:
    from pdt_annotate.emit.files.atomic import write_document  # noqa: PLC0415

    write_document(file, text.encode())


def _closing(exported: Exported, output: str) -> str:
    from pdt_annotate.emit.words import plural  # noqa: PLC0415

    done = f"wrote {output}" if output else "printed"
    return f"{done}; the exported program answers like eager mode on {plural(len(exported.served), 'example call')}"
