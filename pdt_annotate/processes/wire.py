"""What passes between the tool and its children: tasks, which are pickled by the tool, and replies, which are data.

The tool believes nothing that a child says but its form: of a process in which the user's code ran, all bytes may be
that code's. At worst it has falsified what was asked of itself.
"""

from __future__ import annotations

import importlib
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pdt_annotate.overlays.serving import keep_bytecode_in
from pdt_annotate.processes.data import Malformed, decode, encode
from pdt_annotate.values.errors import (
    FailedInChild,
    PdtError,
    SpecError,
    TargetError,
    TraceError,
    UserCodeError,
    UserError,
    VerificationError,
)
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.user_code import describe_error, frames_of

VALUE, ERROR, UNEXPECTED = b"V", b"E", b"U"
ERRORS: Mapping[str, type[UserError]] = {
    cls.__name__: cls for cls in (UserError, TargetError, SpecError, UserCodeError, TraceError)
}
LOST_HINT = (
    "it may have changed Python, torch or its own classes so that they cannot be looked at; where it does nothing of "
    "the kind, this is a bug in pdt-annotate: please report it, with the traceback that -v shows"
)
GARBLED = "what came back from the process that runs your code is no answer"
GARBLED_HINT = "does your code write to files that it did not open, or replace parts of pdt-annotate?"
TOO_DEEP = "what your code holds is nested too deeply to be told"


@dataclass(frozen=True)
class Task:
    """A function that is imported and called in a child.

    Args:
        name: "package.module:function".
        args: its arguments, behind the state of its session.
        flags: its keyword arguments.
        heard: what it prints goes to our stderr; the same code runs many times, so it is dropped otherwise.
        bytecode: a directory for the bytecode of modules that it imports and that have none; "" keeps none.
    """

    name: str
    args: tuple[Any, ...]
    flags: Mapping[str, Any]
    heard: bool = False
    bytecode: str = ""

    def __call__(self, *state: Any) -> Any:
        module, _, name = self.name.partition(":")
        function = getattr(importlib.import_module(module), name)
        if not sys.pycache_prefix:  # else Python itself keeps it apart from the sources
            keep_bytecode_in(self.bytecode)
        return function(*state, *self.args, **self.flags)


@dataclass(frozen=True)
class AnotherZygote:
    """A request for a second zygote, which has done a task besides."""

    task: Task


@dataclass(frozen=True)
class ErrorSent:
    """An error of our tree, as it is sent."""

    kind: str
    message: str
    place: Place
    hint: str

    @classmethod
    def of(cls, error: PdtError) -> ErrorSent:
        if isinstance(error, UserError):
            return cls(type(error).__name__, error.message, error.place, error.hint)
        return cls(type(error).__name__, str(error), NO_PLACE, "")

    def error(self) -> PdtError:
        if self.kind == VerificationError.__name__:
            return VerificationError(self.message)
        return ERRORS[self.kind](self.message, place=self.place, hint=self.hint)


@dataclass(frozen=True)
class Unexpected:
    """An exception that is none of our tree. Where the user's code has run, nobody can tell whose fault it is."""

    said: str
    traceback: str

    @classmethod
    def of(cls, error: BaseException) -> Unexpected:
        said = describe_error(error)
        try:
            return cls(said, "".join(traceback.format_exception(error)))
        except BaseException:  # of a class of the user's, which may raise for whatever it is asked
            return cls(said, "".join(frames_of(error).format()))


@dataclass(frozen=True)
class Reply:
    """What a child answers: a value, an error of our tree, or an exception that nobody expected."""

    value: Any = None
    error: PdtError | None = None
    unexpected: Unexpected | None = None

    def unwrap(self) -> Any:
        if self.error is not None:
            raise self.error
        if self.unexpected is not None:
            message = f"your code could not be followed: {self.unexpected.said}"
            raise UserCodeError(message, hint=LOST_HINT) from FailedInChild(self.unexpected.traceback)
        return self.value

    def encoded(self) -> bytes:
        try:
            if self.error is not None:
                return ERROR + encode(ErrorSent.of(self.error))
            return UNEXPECTED + encode(self.unexpected) if self.unexpected else VALUE + encode(self.value)
        except RecursionError:
            return ERROR + encode(ErrorSent.of(UserCodeError(TOO_DEEP)))
        except (TypeError, AttributeError, ValueError) as error:
            return UNEXPECTED + encode(Unexpected.of(error))

    @classmethod
    def read(cls, message: bytes, type_: Any = object) -> Reply:
        """The reply that bytes stand for; where they stand for none, the user's code is at fault.

        Args:
            type_: what its value is of.
        """
        kind, data = message[:1], message[1:]
        try:
            if kind == VALUE:
                return cls(decode(data, type_))
            if kind == ERROR:
                return cls(error=decode(data, ErrorSent).error())
            if kind == UNEXPECTED:
                return cls(unexpected=decode(data, Unexpected))
        except (Malformed, KeyError):
            pass
        return cls(error=UserCodeError(GARBLED, hint=GARBLED_HINT))


READY = Reply().encoded()

MARK = b"pdt-annotate answers:\n"
"""The line behind which a spawned interpreter answers: what starts with Python may have printed before."""
