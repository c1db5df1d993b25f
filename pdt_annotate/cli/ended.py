"""Errors that end a command early, in words, and in the documents that the command was asked for.

A document of an older run must not look like the result of this one: documents that can show an error are written
again, and the others are deleted.
"""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import click

from pdt_annotate.settings.options import STDOUT, Options, OutputFile
from pdt_annotate.values.errors import NothingTaken, PdtError, UserError
from pdt_annotate.values.exits import EXIT_BUG, EXIT_INTERRUPTED, EXIT_USER, SIGNALLED
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.paths import find_here, find_way_out
from pdt_annotate.values.printable import disarm
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.writes import ENDING, describe, written

BUG = "This is a bug in pdt-annotate: please report it, with the traceback that the command prints."
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


@contextlib.contextmanager
def errors_in_documents(several: Sequence[Options]) -> Iterator[None]:
    """If the block raises, write the error into the documents of these options in place of an older result.

    `NothingTaken` is neither an error nor a result: then the documents are not changed.
    """
    try:
        yield
    except NothingTaken:
        raise
    except BaseException as error:
        for options in several:
            leave_error(options, [(options, error)])
        raise


def leave_error(options: Options, failed: Sequence[Failed]) -> None:
    """Write the errors of the runs into each document of these options, or delete it."""
    for document in options.documents:
        leave_error_in(document, options, failed)


def leave_error_in(document: OutputFile, options: Options, failed: Sequence[Failed]) -> None:
    """Do the same for one document; the run reports its own error, so a failure here is not reported.

    A Python file is not a document, and may be a source that the run has not reached.
    """
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

            text = "".join(f"{what_ended(error)}\n" for _, error in failed).encode("utf-8", "backslashreplace")
            write_files({file: _page(options, failed) if document.format == "html" else text})
    written[:] = before  # this document is not a result


def _page(options: Options, failed: Sequence[Failed]) -> bytes:
    from pdt_annotate.cli.deliver import invocation_of  # noqa: PLC0415
    from pdt_annotate.emit import html  # noqa: PLC0415

    code = max(what_ended(error).code for _, error in failed)
    targets = tuple(target for each, _ in failed for target in each.targets)
    return html.render(Outcome(targets, options.root), invocation_of(options, code, failed))


def say(text: str) -> None:
    click.echo(disarm(text), err=True)
