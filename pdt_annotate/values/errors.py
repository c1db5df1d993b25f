"""The error tree. Errors that the user can mend derive from `UserError`; any other error that escapes is our bug."""

import os
from collections.abc import Callable
from functools import partial

from pdt_annotate.values.exits import EXIT_DONE, EXIT_UNVERIFIED, EXIT_USER
from pdt_annotate.values.slots import NO_PLACE, Place


class PdtError(Exception):
    """Base of every exception that pdt-annotate raises on purpose. Carries the exit code (README.md, "Exit codes")."""

    exit_code = EXIT_USER

    def __init_subclass__(cls) -> None:
        """Let tracebacks name the errors by the module from which programs import them."""
        cls.__module__ = "pdt_annotate.errors"


class UserError(PdtError):
    """The command, config, target, spec or user code has an error.

    Args:
        message: the error in one sentence.
        file: the file, if the line is not known.
        place: the place, if more than the file is known.
        hint: advice.
    """

    def __init__(self, message: str, *, file: str = "", place: Place = NO_PLACE, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place if place.file else Place(file)
        self.hint = hint
        # A traceback shows the notes, and a program's user may see nothing else of the error.
        for note in (f"at {self.place}" if self.place.file else "", f"hint: {hint}" if hint else ""):
            if note:
                self.add_note(note)

    @property
    def file(self) -> str:
        return self.place.file

    @property
    def line(self) -> int:
        return self.place.line

    @property
    def column(self) -> int:
        return self.place.column

    def __reduce__(self) -> tuple[object, ...]:
        return partial(type(self), self.message, place=self.place, hint=self.hint), ()


class TargetError(UserError):
    """The target does not name something that can be annotated."""


class SpecError(UserError):
    """The example inputs cannot be read, or do not fit the target."""


class UserCodeError(UserError):
    """The user's code raised, exited, hung or crashed."""


class FailedInChild(Exception):
    """The cause of an unexpected `UserCodeError`: the child's traceback."""


class TraceError(UserError):
    """A call cannot be traced, or is not the call that a trace was made from."""


class NothingTaken(PdtError):
    """The user was asked, and left out every annotation: there is nothing to verify or to write."""

    exit_code = EXIT_DONE


class VerificationError(PdtError):
    """The annotated code does not script, or answers differently from eager code; nothing was written.

    The message has the judge that said no, the place, the compiler's message, and the annotations that bear on it.
    `outcome` is the `Outcome` with everything that was found.
    """

    exit_code = EXIT_UNVERIFIED

    def __init__(self, message: str, outcome: object = None) -> None:
        super().__init__(message, outcome)
        self.message = message
        self.outcome = outcome

    def __str__(self) -> str:
        return self.message


class PdtWarning(UserWarning):
    """A finding of `script()` that does not stop it: a guess, a number that changes its type, a trap.

    Args:
        message: the code, the finding and advice on it.
        code: the catalogue's code, also the first word of the message, so that a filter can match on it.
    """

    __module__ = "pdt_annotate.errors"

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


def line_of(error: BaseException) -> str:
    """The first line of an error, or its class if it has no text."""
    return str(error).strip().partition("\n")[0].strip() or type(error).__name__


def kept_elsewhere(error: UserError, file: str, write: Callable[[str], object]) -> UserError:
    """The error for a file that could not be written; its hint names the file that now has its content.

    The run that found the content may have taken an hour.
    """
    import tempfile  # noqa: PLC0415  (only a failure needs it)

    try:
        kept = os.path.join(tempfile.mkdtemp(prefix="pdt-annotate-"), os.path.basename(file))
        write(kept)
    except (OSError, UserError):
        return error
    return UserError(error.message, place=error.place, hint=f"its content is in {kept}")
