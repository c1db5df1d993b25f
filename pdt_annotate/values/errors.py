"""The error tree. What the user can mend derives from `UserError`; anything else that escapes is our bug."""

from __future__ import annotations

from functools import partial

from pdt_annotate.values.exits import EXIT_DONE, EXIT_UNVERIFIED, EXIT_USER
from pdt_annotate.values.places import NO_PLACE, Place


class PdtError(Exception):
    """Base of every exception that pdt-annotate raises on purpose. Carries the exit code (README.md, "Exit codes")."""

    exit_code = EXIT_USER

    def __init_subclass__(cls) -> None:
        """Tracebacks name the errors as programs import them."""
        cls.__module__ = "pdt_annotate.errors"


class UserError(PdtError):
    """The command, config, target, spec or user code is at fault.

    Args:
        message: what happened, in one sentence.
        file: where, if no more is known than that.
        place: where, if more is known.
        hint: what to do.
    """

    def __init__(self, message: str, *, file: str = "", place: Place = NO_PLACE, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place if place.file else Place(file)
        self.hint = hint
        # Shown by a traceback, which is all that a program's user may see of it.
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
    """The cause of a `UserCodeError` that nobody expected: the traceback, as it was in the child."""


class TraceError(UserError):
    """A call cannot be traced, or is another than the one that a trace was made from."""


class NothingTaken(PdtError):
    """The user was asked, and left every annotation out: there is nothing to verify, and nothing to write."""

    exit_code = EXIT_DONE


class VerificationError(PdtError):
    """What was annotated does not script, or answers otherwise than eager code; nothing was written.

    Args:
        message: which judge said no, where, what the compiler said, and the annotations that bear on it.
        outcome: the `Outcome`, with all that was found.
    """

    exit_code = EXIT_UNVERIFIED

    def __init__(self, message: str, outcome: object = None) -> None:
        super().__init__(message, outcome)
        self.message = message
        self.outcome = outcome

    def __str__(self) -> str:
        return self.message


class PdtWarning(UserWarning):
    """What `script()` cannot be sure of, or answers otherwise: a guess, a number that changes its type, a trap.

    Args:
        message: the code, what was found and what to do about it.
        code: the catalogue's, also the first word of the message, by which a filter can tell warnings apart.
    """

    __module__ = "pdt_annotate.errors"

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code
