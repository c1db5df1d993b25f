"""Running the user's code: the step for which it runs, and its errors, with the line that raised them and advice.

A step is reported to a watcher, which after a hang or crash knows nothing else.
"""

import contextlib
import linecache
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import Any, TypeGuard

from pdt_annotate.values.errors import PdtError, UserCodeError
from pdt_annotate.values.installed import is_installed
from pdt_annotate.values.live import is_a, qualname_of
from pdt_annotate.values.runs import Call
from pdt_annotate.values.slots import NO_PLACE, Place, column_at, place_of_error

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OURS = PACKAGE + os.sep
MOST_SAID = 10_000  # characters of an exception's message
_traceback: Any = BaseException.__dict__["__traceback__"]
NOT_THE_USERS = (OURS, os.path.dirname(os.path.abspath(os.__file__)) + os.sep)

NO_CUDA = """\
the torch that runs here has no CUDA; on the CPU the types are the same:
    device="cpu" in Python, `device: cpu` in YAML, torch.load(..., map_location="cpu")"""

DEVICES = """\
make the example inputs on the device of the model,
    or let the model follow its inputs: device=x.device"""

SHAPES = "use example inputs with the shapes that the model expects"

A_DICT = "the example call passes a dict; in YAML, a tensor is {tensor: [2, 3]}, and other keys make a dict"

FIELDS = f"the arguments of Call are {', '.join(each.name for each in fields(Call))}"

NOT_WHOLE = """\
give whole numbers: torch.randint(0, 10, (2, 3)) in Python, i64[2,3] after -a,
    {tensor: [2, 3], dtype: int64} in YAML"""

NOT_IN_PACKAGE = "{0} has no module {1}: correct the import, or install a version of {0} that has the module"
INSTALL = "install {} in {},\n    which runs your code, or run from a directory where it can be imported"


_tell: Callable[[str], None] = lambda phase: None  # noqa: E731 - what `tell_phases_to` sets
_phases: list[str] = []


def tell_phases_to(tell: Callable[[str], None]) -> None:
    """Report each phase from now on, as "while running call 2", or "after running call 2" when no phase is left."""
    global _tell
    _tell = tell


@contextlib.contextmanager
def phase(doing: str) -> Iterator[None]:
    """Inside the block, the phase is `doing`: "running call 2"."""
    _phases.append(doing)
    _tell(f"while {doing}")
    try:
        yield
    finally:
        _phases.pop()
        _tell(f"while {_phases[-1]}" if _phases else f"after {doing}")


@contextlib.contextmanager
def user_code(doing: str) -> Iterator[None]:
    """Turn any exception of the user's code inside the block into a `UserCodeError` with its file and line.

    `doing` begins the message: "importing model.py", "building model.py:Net failed", "call 2 raised".
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
    attributes = {name: SyntaxError.__dict__[name].__get__(error) for name in kinds}
    return all(value is None or type(value) is kinds[name] for name, value in attributes.items())


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


def advise(said: str, place: Place) -> str:
    """Advice on an error with this message, which the user's code raised at a place; "" if it needs no advice."""
    found = ((re.search(sign, said), advice) for sign, advice in ADVICE.items())
    return next((advice(match, place) for match, advice in found if match), "")


def _name_the_module(match: re.Match[str], place: Place) -> str:
    """Advice for a failed relative import: it needs a package, and a target that is a file may lack one."""
    path = Path(os.path.abspath(place.file))
    found = re.match(r"\s*from\s+(\.+)", linecache.getline(place.file, place.line))
    parts = [path.parents[n].name for n in reversed(range(len(found[1]) if found else 1))]
    above = path.parents[len(parts)]
    if not all(part.isidentifier() for part in (*parts, path.stem)):
        return f"no import can name {path.parent.name!r} as a package; rename the directory"
    where = "" if above == Path.cwd() else f" in {above}"
    return f"name it as a module of its package{where}: {'.'.join((*parts, path.stem))}:NAME"


ADVICE: Mapping[str, Callable[[re.Match[str], Place], str]] = {
    r"attempted relative import": _name_the_module,
    r"No module named '(\w+)'": lambda match, place: INSTALL.format(match[1], sys.prefix),
    r"No module named '([\w.]+)\.(\w+)'": lambda match, place: NOT_IN_PACKAGE.format(match[1], match[2]),
    r"^it called sys\.exit": lambda match, place: 'put the code of the program under `if __name__ == "__main__":`',
    r"not compiled with CUDA|no NVIDIA driver|torch\.cuda\.is_available\(\) is False": lambda match, place: NO_CUDA,
    r"to be on the same device|is not on the expected device": lambda match, place: DEVICES,
    r"scalar types: Long, Int": lambda match, place: NOT_WHOLE,
    r"must be Tensor, not dict": lambda match, place: A_DICT,
    r"Call\.__init__\(\) got an unexpected": lambda match, place: FIELDS,
    r"shapes cannot be multiplied|must match the size of tensor|to have \d+ channels": lambda match, place: SHAPES,
}
"""The function that writes the advice, by pattern of the error message."""
