"""Runs the command line: errors become words on stderr and exit codes."""

import os
import sys
import traceback
from collections.abc import Sequence

import click

from pdt_annotate.cache.commands import COMPLETE_VARIABLE
from pdt_annotate.cli.ended import ErrorReport, raising, say, what_ended
from pdt_annotate.cli.group import PROGRAM, main_group
from pdt_annotate.values.errors import FailedInChild
from pdt_annotate.values.exits import EXIT_BUG, EXIT_DONE, EXIT_USER
from pdt_annotate.values.paths import find_here
from pdt_annotate.writes import describe, list_files, pending_near, written

BUG = """\
This is a bug in pdt-annotate, not in your code. Please report it with the traceback above, the command, and the
output of `pdt-annotate --version`. Before the error, {written}."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code. Every error ends here, in words."""
    written.clear()
    try:
        with raising():
            asked = os.environ.get(COMPLETE_VARIABLE, "")
            if asked.endswith("_complete") and not {"COMP_WORDS", "COMP_CWORD"} <= os.environ.keys():
                return EXIT_DONE  # a program asks without the words that the script of a shell passes
            if not asked:
                recover(find_here())
            words = tuple(arguments)
            code = main_group.main(list(words), PROGRAM, COMPLETE_VARIABLE, standalone_mode=False, obj=words)
    except (Exception, KeyboardInterrupt) as error:
        return report_error(error, verbose=not {"-v", "--verbose"}.isdisjoint(arguments))
    return code if isinstance(code, int) else EXIT_DONE


def report_error(error: BaseException, *, verbose: bool = False) -> int:
    """Report an error; one that is neither ours nor the user's is a bug, reported with its traceback."""
    if verbose and isinstance(error.__cause__, FailedInChild):
        say(str(error.__cause__))
    if isinstance(error, click.ClickException):
        ended = ErrorReport(error.format_message().rstrip("."), EXIT_USER, hint=_advise(error))
    else:
        ended = what_ended(error)
    if ended.code == EXIT_BUG:
        say(f"{''.join(traceback.format_exception(error))}{BUG.format(written=describe(written))}")
        return ended.code
    text = str(ended)
    if sys.stderr.isatty():
        import shutil  # noqa: PLC0415 - `--help` does not need it

        from pdt_annotate.emit.terminal.console import wrap_text  # noqa: PLC0415

        text = wrap_text(text, shutil.get_terminal_size().columns)
    say(text)
    return ended.code


def _advise(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption):
        takers = [
            name
            for name, command in sorted(main_group.commands.items())
            if any(error.option_name in (*param.opts, *param.secondary_opts) for param in command.params)
        ]
        if takers:
            *most, last = (f"`{name}`" for name in (f"{PROGRAM} {takers[0]}", *takers[1:]))
            return f"it is an option of {', '.join(most)} or {last}" if most else f"it is an option of {last}"
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.info_name if context and context.parent else ""
    return f"`{PROGRAM} {command} --help` lists its options" if command else f"`{PROGRAM} --help` shows examples"


def recover(start: str) -> None:
    """Finish interrupted writes in a directory and those above it, and report them; "" has none."""
    begun = "note: an earlier run was stopped while it wrote files"
    for root, folder in pending_near(start) if start else ():
        from pdt_annotate.writes.pending import Busy, recovered  # noqa: PLC0415 - few runs leave pending writes

        try:
            with recovered(root, folder) as left:
                if left.written:
                    say(f"{begun}; the remaining files are written now: {list_files(left.written)}")
                if left.edited:
                    say(f"{begun}; some files have changed since, and were not written: {list_files(left.edited)}")
        except Busy:
            say(f"note: another run of pdt-annotate is writing files in {root}")
        except OSError as error:
            say(f"{begun}, and this run cannot write the remaining files: {error.strerror}: {error.filename or folder}")
