"""Errors of the user's code, told with the line that they come from."""

from __future__ import annotations

import contextlib
import linecache
import os
import traceback
from collections.abc import Iterator

from pdt_annotate.values.advice import advise
from pdt_annotate.values.errors import PdtError, UserCodeError
from pdt_annotate.values.installed import is_installed
from pdt_annotate.values.places import NO_PLACE, Place, column_at, place_of_error

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOT_THE_USERS = tuple(folder + os.sep for folder in (PACKAGE, os.path.dirname(os.path.abspath(os.__file__))))


@contextlib.contextmanager
def user_code(doing: str) -> Iterator[None]:
    """Turn whatever the user's code raises inside the block into a `UserCodeError` that names its file and line."""
    try:
        yield
    except PdtError:
        raise
    except BaseException as error:
        said, place = _describe(error), _place_of(error)
        raise UserCodeError(f"{doing}: {said}", place=place, hint=advise(said, place)) from error


def frames_of(error: BaseException) -> traceback.StackSummary:
    """What an exception came through, the innermost last, without columns where code does not know its own.

    To trace a function of `**kwargs`, torch.fx of 2.6 makes code whose table of places is that of another version of
    Python: it ends too early for `traceback`, and knows no lines. Such a frame is at the first line of its function.
    """
    try:
        return traceback.extract_tb(error.__traceback__)
    except RuntimeError:
        walked = traceback.walk_tb(error.__traceback__)
        return traceback.StackSummary.extract((frame, line or frame.f_code.co_firstlineno) for frame, line in walked)


def _place_of(error: BaseException) -> Place:
    """The innermost of the user's that an exception came through; of a syntax error, what is wrong."""
    if isinstance(error, SyntaxError) and _is_user_file(error.filename or "<unknown>"):
        return place_of_error(str(error.filename), error)
    frames = (frame for frame in reversed(frames_of(error)) if _is_user_file(frame.filename))
    return next(map(_place_in, frames), NO_PLACE)


def _place_in(frame: traceback.FrameSummary) -> Place:
    """The expression that was evaluated, where Python knows it."""
    line = linecache.getline(frame.filename, frame.lineno or 0)
    return Place(frame.filename, frame.lineno or 0, 0 if frame.colno is None else column_at(line, frame.colno))


def _describe(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it called sys.exit({error.code!r})"
    try:
        message = error.msg if isinstance(error, SyntaxError) else str(error)  # it ends in the place, else
    except Exception:  # an exception class of the user's, with a `__str__` that raises
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _is_user_file(file: str) -> bool:
    is_kept = not file.startswith("<") or file in linecache.cache  # a session keeps what was typed into it
    return is_kept and not file.startswith(NOT_THE_USERS) and not is_installed(file)
