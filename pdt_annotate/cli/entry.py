"""Runs the command line: errors become words on stderr, exit codes, and the content of documents.

A document of an older run must not look like the result of this one: documents that can show an error are written
again, and the others are deleted.
"""

import contextlib
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import click

from pdt_annotate.cache.commands import COMPLETE_VARIABLE
from pdt_annotate.cli.group import PROGRAM, main_group
from pdt_annotate.settings.options import STDOUT, Options, OutputFile
from pdt_annotate.values.errors import FailedInChild, NothingTaken, PdtError, UserError
from pdt_annotate.values.exits import EXIT_BUG, EXIT_DONE, EXIT_INTERRUPTED, EXIT_USER, SIGNALLED
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.paths import find_here, find_way_out
from pdt_annotate.values.printable import disarm
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.writes import ENDING, describe, list_files, pending_near, written

BUG = "This is a bug in pdt-annotate: please report it, with the traceback that the command prints."
BUG_WITH_TRACEBACK = """\
This is a bug in pdt-annotate, not in your code. Please report it with the traceback above, the command, and the
output of `pdt-annotate --version`. Before the error, {written}."""
Failed = tuple[Options, BaseException]  # a run, and the error that ended it before it had a result


class Ended(KeyboardInterrupt):
    """A signal asks the process to end; as with Ctrl-C, everything is cleaned up on the way out."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


@contextlib.contextmanager
def raising() -> Iterator[None]:
    """Make SIGTERM and SIGHUP raise `Ended`; by default they end the process at once."""

    def raise_ended(number: int, frame: FrameType | None) -> None:
        raise Ended(number)

    is_main = threading.current_thread() is threading.main_thread()
    ours = [number for number in ENDING if is_main and signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, raise_ended)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


@dataclass(frozen=True)
class ErrorReport:
    message: str
    code: int
    place: Place = NO_PLACE
    hint: str = ""

    def __str__(self) -> str:
        hint = self.hint.replace("\n", "\n  ")
        place = self.place.named(self.place.file.removeprefix(os.path.join(find_here(), "")))
        parts = (f"error: {self.message}", place.file and f"  at {place}", hint and f"  hint: {hint}")
        return "\n".join(filter(None, parts))


def what_ended(error: BaseException) -> ErrorReport:
    """Return the error in the form that people see; an error that is neither ours nor the user's is a bug."""
    match error:
        case click.Abort() | KeyboardInterrupt():
            # Exit codes as in shells: Ctrl-C is 130. click raises an `Abort` from it.
            ended = error.__cause__ or error
            code = SIGNALLED + ended.number if isinstance(ended, Ended) else EXIT_INTERRUPTED
            return ErrorReport(f"interrupted; {describe(written)}", code)
        case UserError():
            return ErrorReport(error.message, EXIT_USER, error.place, error.hint)
        case PdtError():
            return ErrorReport(str(error), error.exit_code)
        case FileNotFoundError() if not find_here():
            hint = "change to a directory that exists"
            return ErrorReport("the working directory no longer exists", EXIT_USER, hint=hint)
        case RecursionError():  # one of our visitors met a deeply nested source or document of the user's
            return ErrorReport(f"an expression or a value is nested too deeply; {describe(written)}", EXIT_USER)
    return ErrorReport(f"{type(error).__name__}: {error}", EXIT_BUG, hint=BUG)


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
        say(f"{''.join(traceback.format_exception(error))}{BUG_WITH_TRACEBACK.format(written=describe(written))}")
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


@contextlib.contextmanager
def errors_in_documents(several: Sequence[Options]) -> Iterator[None]:
    """If the block raises, write the error into the documents of these options in place of an older result."""
    try:
        yield
    except NothingTaken:  # neither an error nor a result
        raise
    except BaseException as error:
        for options in several:
            for document in options.documents:
                leave_error(document, options, [(options, error)])
        raise


def leave_error(document: OutputFile, options: Options, failed: Sequence[Failed]) -> None:
    """Write the errors of the runs into a document of these options, or delete it; a failure here is not reported."""
    # A Python file is not a document, and may be a source that the run has not reached.
    if document.file == STDOUT or document.file.endswith((".py", ".pyi")) or find_way_out(document.file, options.root):
        return
    file = os.path.realpath(document.file)
    if os.path.exists(file) and not os.path.isfile(file):
        return
    before = list(written)
    with contextlib.suppress(UserError, OSError):
        if document.format not in ("html", "text"):  # a program would read an error in the others as a result
            Path(file).unlink(missing_ok=True)
        else:
            from pdt_annotate.writes.transaction import write_files  # noqa: PLC0415

            ended = [what_ended(error) for _, error in failed]
            content = "".join(f"{each}\n" for each in ended).encode("utf-8", "backslashreplace")
            if document.format == "html":
                from pdt_annotate.cli.deliver import invocation_of  # noqa: PLC0415
                from pdt_annotate.emit import html  # noqa: PLC0415

                outcome = Outcome(tuple(target for each, _ in failed for target in each.targets), options.root)
                content = html.render(outcome, invocation_of(options, max(each.code for each in ended), failed))
            write_files({file: content})
    written[:] = before  # this document is not a result


def say(text: str) -> None:
    click.echo(disarm(text), err=True)
