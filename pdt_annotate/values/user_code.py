"""Errors of the user's code, told with the line that they come from."""

from __future__ import annotations

import contextlib
import os
import traceback
from collections.abc import Iterator

from pdt_annotate.values.errors import PdtError, UserCodeError

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NOT_THE_USERS = tuple(folder + os.sep for folder in (PACKAGE, os.path.dirname(os.path.abspath(os.__file__))))
INSTALLED = frozenset(("site-packages", "dist-packages"))


@contextlib.contextmanager
def user_code(doing: str) -> Iterator[None]:
    """Turn whatever the user's code raises inside the block into a `UserCodeError` that names its file and line."""
    try:
        yield
    except PdtError:
        raise
    except BaseException as error:
        file, line = _place_of(error)
        raise UserCodeError(f"{doing}: {_describe(error)}", file=file, line=line) from error


def _place_of(error: BaseException) -> tuple[str, int]:
    """The innermost line of the user's that an exception came through; of a syntax error, the line that is wrong."""
    if isinstance(error, SyntaxError) and _is_user_file(error.filename or "<unknown>"):
        return str(error.filename), error.lineno or 0
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    return next(((file, line) for file, line in reversed(frames) if _is_user_file(file)), ("", 0))


def _describe(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return f"it called sys.exit({error.code!r})"
    try:
        message = str(error)
    except Exception:  # an exception class of the user's, with a `__str__` that raises
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def _is_user_file(file: str) -> bool:
    return not file.startswith(("<", *NOT_THE_USERS)) and not INSTALLED.intersection(file.split(os.sep))
