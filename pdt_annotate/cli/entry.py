"""Run the command line: errors → words on stderr and exit codes."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import traceback
from collections.abc import Sequence

import click

from pdt_annotate.cache.commands import COMPLETE_VARIABLE
from pdt_annotate.cli.exits import EXIT_BUG, EXIT_DONE, EXIT_INTERRUPTED, EXIT_USER, SIGNALLED
from pdt_annotate.cli.group import PROGRAM, main_group
from pdt_annotate.cli.recovering import list_files, recover_here
from pdt_annotate.cli.saying import say
from pdt_annotate.values.errors import PdtError, UserError
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.writes import ledger
from pdt_annotate.writes.signals import Ended, raising

BUG = """\
This is a bug in pdt-annotate, not in your code. Please report it with the traceback above, the command, and the
output of `pdt-annotate --version`. By then, {written}."""


def main(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code. Every error ends here, in words."""
    ledger.forget()
    try:
        with raising():
            if COMPLETE_VARIABLE not in os.environ:
                recover_here()
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
            return _fail(f"interrupted; {_describe_written()}", code=_code_of(error))
        case click.ClickException():
            return _fail(error.format_message().rstrip("."), hint=_advise(error))
        case UserError():
            return _fail(error.message, place=error.place, hint=error.hint)
        case PdtError():
            return _fail(str(error), code=error.exit_code)
        case FileNotFoundError() if _is_homeless():
            return _fail("the working directory is gone", hint="change to one that is there")
        case RecursionError():  # a source or a document of the user's that our own visitors go down
            return _fail(f"something is nested too deeply to be read; {_describe_written()}")
    say(f"{''.join(traceback.format_exception(error))}{BUG.format(written=_describe_written())}")
    return EXIT_BUG


def _is_homeless() -> bool:
    try:
        os.getcwd()
    except OSError:
        return True
    return False


def _describe_written() -> str:
    """What the command has written by now, as the end of a sentence."""
    files = ledger.written()
    return f"{list_files(files)} {'was' if len(files) == 1 else 'were'} written" if files else "nothing was written"


def _code_of(error: BaseException) -> int:
    """The exit code of what was interrupted, as shells count: Ctrl-C is 130. click raises its own error from it."""
    ended = error.__cause__ or error
    return SIGNALLED + ended.number if isinstance(ended, Ended) else EXIT_INTERRUPTED


def _shown(place: Place) -> Place:
    """A place below the working directory, as from there."""
    with contextlib.suppress(OSError):  # the working directory is gone
        return place.named(place.file.removeprefix(os.path.join(os.getcwd(), "")))
    return place


def _advise(error: click.ClickException) -> str:
    """What to do about a command line that click cannot read."""
    if isinstance(error, click.NoSuchOption) and not error.possibilities:
        takers = [name for name, command in main_group.commands.items() if _takes(command, error.option_name)]
        if takers:
            return f"it is an option of {' and '.join(f'`{PROGRAM} {name}`' for name in takers)}"
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.info_name if context and context.parent else ""
    return f"`{PROGRAM} {command} --help` lists its options" if command else f"`{PROGRAM} --help` shows examples"


def _takes(command: click.Command, option: str) -> bool:
    return any(option in (*param.opts, *param.secondary_opts) for param in command.params)


def _fail(message: str, *, place: Place = NO_PLACE, hint: str = "", code: int = EXIT_USER) -> int:
    told = hint.replace("\n", "\n  ")
    parts = (f"error: {message}", place.file and f"  at {_shown(place)}", hint and f"  hint: {told}")
    say(_wrapped("\n".join(filter(None, parts))))
    return code


def _wrapped(text: str) -> str:
    """The text, on a terminal with lines that break between words."""
    if not sys.stderr.isatty():
        return text
    from pdt_annotate.emit.terminal.wrapping import wrap_text  # noqa: PLC0415

    return wrap_text(text, shutil.get_terminal_size().columns)
