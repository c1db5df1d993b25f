"""Run the command line: errors → words on stderr and exit codes."""

from __future__ import annotations

import traceback
from collections.abc import Sequence

import click

from pdt_annotate.cache.commands import COMPLETE_VARIABLE
from pdt_annotate.cli.exits import EXIT_BUG, EXIT_DONE, EXIT_INTERRUPTED, EXIT_USER
from pdt_annotate.cli.group import PROGRAM, main_group
from pdt_annotate.values.errors import PdtError, UserError
from pdt_annotate.values.places import NO_PLACE, Place

BUG = """\
This is a bug in pdt-annotate, not in your code. Please report it with the traceback above, the command, and the
output of `pdt-annotate --version`. No source was changed unless a line above says so."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code. Every error ends here, in words."""
    try:
        code = main_group.main(
            args=list(arguments),
            prog_name=PROGRAM,
            complete_var=COMPLETE_VARIABLE,
            standalone_mode=False,
            obj=tuple(arguments),
        )
    except (Exception, KeyboardInterrupt) as error:
        return tell(error)
    return code if isinstance(code, int) else EXIT_DONE


def tell(error: BaseException) -> int:
    """Say what went wrong; whatever is no error of ours or the user's is a bug, with its traceback."""
    match error:
        case click.Abort() | KeyboardInterrupt():
            return _fail("interrupted; nothing was written", code=EXIT_INTERRUPTED)
        case click.ClickException():
            return _fail(error.format_message(), hint="pdt-annotate --help shows examples")
        case UserError():
            return _fail(error.message, place=error.place, hint=error.hint)
        case PdtError():
            return _fail(str(error), code=error.exit_code)
    traceback.print_exception(error)
    click.echo(BUG, err=True)
    return EXIT_BUG


def _fail(message: str, *, place: Place = NO_PLACE, hint: str = "", code: int = EXIT_USER) -> int:
    parts = (f"error: {message}", place.file and f"  at {place}", hint and f"  hint: {hint}")
    click.echo("\n".join(filter(None, parts)), err=True)
    return code
