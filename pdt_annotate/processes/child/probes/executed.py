"""The course of a call in Python: the traps on its lines, and whether an exception was raised on purpose."""

from __future__ import annotations

import dis
import sys
import traceback
from collections.abc import Callable
from types import FrameType
from typing import Any

from pdt_annotate.values.further import Trap
from pdt_annotate.values.installed import is_own
from pdt_annotate.values.places import NO_PLACE, Place

RAISE = dis.opmap["RAISE_VARARGS"]


def traps_met(run: Callable[[], object], traps: tuple[Trap, ...]) -> tuple[Trap, ...]:
    """The traps on lines that run, and at the heads of functions that are entered."""
    files = frozenset(trap.place.file for trap in traps)
    lines: set[tuple[str, int]] = set()

    def enter(frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if code.co_filename not in files:
            return None
        # The head of a function ends before its first statement.
        begin = code.co_firstlineno
        body = [line for _, _, line in code.co_lines() if line is not None and line > begin]
        lines.update((code.co_filename, line) for line in range(begin, min(body, default=begin + 1)))
        return note

    def note(frame: FrameType, event: str, _: Any) -> Any:
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return note

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        run()
    except Exception:  # this may be the difference itself
        pass
    finally:
        sys.settrace(before)
    return tuple(trap for trap in traps if (trap.place.file, trap.place.line) in lines)


def is_raised_on_purpose(error: BaseException) -> bool:
    """Whether a `raise` or an `assert` in Python raised it."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and last.tb_frame.f_code.co_code[last.tb_lasti] == RAISE


def place_of(error: BaseException, root: str) -> Place:
    """The innermost line under a directory that an exception came through."""
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    return next((Place(file, line) for file, line in reversed(lines) if is_own(file, root)), NO_PLACE)
