"""Errors of the user's code, reported with the line that raised them."""

from __future__ import annotations

import contextlib
import linecache
import os
import traceback
from collections.abc import Iterator
from types import TracebackType
from typing import Any, TypeGuard

from pdt_annotate.values.advice import advise
from pdt_annotate.values.errors import PdtError, UserCodeError
from pdt_annotate.values.installed import is_installed
from pdt_annotate.values.live import is_a, qualname_of
from pdt_annotate.values.phase import phase
from pdt_annotate.values.places import NO_PLACE, Place, column_at, place_of_error

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS = PACKAGE + os.sep
MOST_SAID = 10_000  # characters of an exception's message
_traceback: Any = BaseException.__dict__["__traceback__"]
NOT_THE_USERS = (OURS, os.path.dirname(os.path.abspath(os.__file__)) + os.sep)


@contextlib.contextmanager
def user_code(doing: str) -> Iterator[None]:
    """Turn any exception of the user's code inside the block into a `UserCodeError` with its file and line.

    Args:
        doing: the beginning of the message: "importing model.py", "building model.py:Net failed", "call 2 raised".
    """
    try:
        called = doing.removesuffix(" raised")
        with phase(f"running {called}" if called != doing else doing.removesuffix(" failed")):
            yield
    except PdtError:
        raise
    except BaseException as error:
        said, place = describe_error(error), _place_of(error)
        raise UserCodeError(f"{doing}: {said}", place=place, hint=advise(said, place)) from error


def frames_of(error: BaseException) -> traceback.StackSummary:
    """The frames that an exception came through, the innermost last, without columns if code has no valid ones.

    To trace a function with `**kwargs`, torch.fx of 2.6 makes code whose position table is for another version of
    Python: it is too short for `traceback`, and has no lines. Such a frame counts as at its function's first line.
    Code may also name a file that no system can open; looking up its lines raises a ValueError.
    """
    try:
        return traceback.extract_tb(traceback_of(error))
    except (RuntimeError, ValueError):
        walked = traceback.walk_tb(traceback_of(error))
        lines = ((frame, line or frame.f_code.co_firstlineno) for frame, line in walked)
        return traceback.StackSummary.extract(lines, lookup_lines=False)


def traceback_of(error: BaseException) -> TracebackType | None:
    """The traceback, read without the exception's class, which may override the attribute."""
    found: TracebackType | None = _traceback.__get__(error)
    return found


def place_of(error: BaseException) -> Place | None:
    """The line of the user's code that raised an exception; None if our code raised it."""
    frames = [frame.filename for frame in frames_of(error)]
    innermost = next((file for file in reversed(frames) if is_user_file(file) or file.startswith(OURS)), "")
    return _place_of(error) if innermost and is_user_file(innermost) else None


def _place_of(error: BaseException) -> Place:
    """The innermost of the user's frames that an exception came through; for a syntax error, the place of the error."""
    if _is_syntax_error(error) and is_user_file(error.filename or "<unknown>"):
        return place_of_error(str(error.filename), error)
    frame = next((frame for frame in reversed(frames_of(error)) if is_user_file(frame.filename)), None)
    if frame is None:
        return NO_PLACE
    # The column of the evaluated expression, if Python knows it.
    number, line = frame.lineno or 0, linecache.getline(frame.filename, frame.lineno or 0)
    return Place(frame.filename, number, 0 if frame.colno is None else column_at(line, frame.colno))


def _is_syntax_error(error: BaseException) -> TypeGuard[SyntaxError]:
    """Whether it is a syntax error with attributes of the usual types: the user's code may raise any."""
    if not is_a(error, SyntaxError):
        return False
    kinds = {"filename": str, "lineno": int, "offset": int, "text": str}
    told = {name: SyntaxError.__dict__[name].__get__(error) for name in kinds}
    return all(value is None or type(value) is kinds[name] for name, value in told.items())


def describe_error(error: BaseException) -> str:
    """The class and message of an exception, even if its class misbehaves."""
    name = qualname_of(error).rpartition(".")[2]
    try:
        if is_a(error, SystemExit):
            return f"it called sys.exit({SystemExit.__dict__['code'].__get__(error)!r})"
        said = error.msg if _is_syntax_error(error) else str(error)  # a syntax error's str() ends with its place
        message = str.__str__(said)  # a plain str: a subclass may do anything
    except BaseException:  # the exception's `__str__` may raise
        message = ""
    if len(message) > MOST_SAID:
        message = f"{message[:MOST_SAID]}… ({len(message):,} characters)"
    return f"{name}: {message}" if message else name


def is_user_file(file: str) -> bool:
    """Whether a file is neither ours nor installed; a name with a null byte is not a file."""
    is_kept = not file.startswith("<") or file in linecache.cache  # a session keeps its typed input there
    return is_kept and "\0" not in file and not file.startswith(NOT_THE_USERS) and not is_installed(file)
