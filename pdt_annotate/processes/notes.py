"""The log of a child, for its supervisor: the phases that it was in, and how it crashed, hung, exited or failed.

It is a nameless file that all forks of the child share. `faulthandler` writes stacks into it. We write one line for
each phase and for an error that ended our own code.
"""

import contextlib
import faulthandler
import os
import re
import signal
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import IO, Any, NoReturn

from pdt_annotate.processes import process_tree
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.user_code import OURS, is_user_file, tell_phases_to, traceback_of

PHASE, ERROR = "Phase: ", "Error: "  # the beginnings of the lines that we write
MOST = 2**20  # bytes to read, from the end
SAID = 500  # characters of an error's message
# Signals that end a process unless it handles them, and that `faulthandler` does not treat as faults.
DEADLY = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGALRM", "SIGXCPU", "SIGUSR1")]
# The signal that makes a process write its stacks.
DUMP = getattr(signal, "SIGRTMAX", None) or getattr(signal, "SIGUSR2", None)
PATIENCE, LOOK = 0.5, 0.01  # seconds to wait for the stacks, and between two checks
THREAD = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]+ .*\(most recent call first\):|Stack \(.*\):")
FRAME = re.compile(r'  File "(.*)", line (\d+) in (.*)')
OUR_FRAME = re.compile(rf'  File "(?:{re.escape(OURS)}.*|<string>)", line \d+ in ')
FATAL = re.compile(r"Fatal Python error: [\w ()':,.-]+")
ESCAPED = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})")
unescaped = partial(ESCAPED.sub, lambda found: chr(int(found[0][2:], 16)))

STACK = "(most recent call first)"  # in the first line of each stack
_exit = os._exit  # ends a process without a note
_kept: "Notes | None" = None  # the notes that this process keeps


@dataclass(frozen=True)
class Last:
    """The last known state of a process."""

    phase: str = ""  # "while running call 2", or "after running call 2"; "" if unknown
    place: Place = NO_PLACE  # the line of the user's code that ran, or that raised the error
    stack: str = ""  # the stack that `faulthandler` wrote of a crash
    error: str = ""  # the exception that ended the process, if our own code did not catch it

    @property
    def where(self) -> str:
        """The phase, as the end of a sentence."""
        return f", {self.phase}" if self.phase else ""


NOTHING_KNOWN = Last()


def open_nameless() -> IO[bytes]:
    """A new file that forks share and nobody else can open."""
    if hasattr(os, "memfd_create"):
        return open(os.memfd_create("pdt-annotate"), "r+b")
    return tempfile.TemporaryFile()


class Notes:
    def __init__(self) -> None:
        self._file = open_nameless()
        self._descriptor = self._file.fileno()

    def clear(self, phase: str = "") -> None:
        """Forget everything except a phase."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, 0)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
        self.write(f"{PHASE}{phase}\n")

    def keep(self) -> None:
        """Let this process and its forks write their phases from here on, and how they end."""
        tell_phases_to(lambda phase: self.write(f"{PHASE}{phase}\n"))
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            faulthandler.enable(self._descriptor)
            if DUMP is not None:
                faulthandler.register(DUMP, self._descriptor, all_threads=True)
            for number in filter(None, DEADLY):
                faulthandler.register(number, self._descriptor, all_threads=False, chain=True)
        os._exit = self._exit
        global _kept
        _kept = self

    def write(self, line: str) -> None:
        with contextlib.suppress(OSError):  # the user's code has closed it
            os.write(self._descriptor, line.encode("ascii", "backslashreplace"))

    def _exit(self, status: int) -> Any:
        with contextlib.suppress(BaseException):
            faulthandler.dump_traceback(self._descriptor, all_threads=False)
        _exit(status)

    def read(self) -> Last:
        lines = self._text().splitlines()
        phase = unescaped(next((line.removeprefix(PHASE) for line in reversed(lines) if line.startswith(PHASE)), ""))
        for index, line in enumerate(lines):
            if line.startswith(ERROR):
                place = next(_places(lines[index:]), NO_PLACE)
                return Last(phase, place, error=unescaped(line.removeprefix(ERROR)))
        stacks = [line for line in lines if any(form.fullmatch(line) for form in (THREAD, FRAME, FATAL))]
        crash = [line for line in stacks if not OUR_FRAME.match(line)] if stacks and FATAL.match(stacks[0]) else []
        return Last(phase, _place_in(stacks), "\n".join(crash))

    def ask(self, pid: int) -> Last:
        """Make a hanging process write its stacks, and read them. Its forks write first, since it may wait for them."""
        # The signal would kill any process but our forks.
        for each in (*(child for child in reversed([*process_tree.below(pid)]) if not process_tree.tidies(child)), pid):
            if DUMP is None or self.read().place.file:
                break
            before = self._text().count(STACK)
            with contextlib.suppress(OSError):
                os.kill(each, DUMP)
            deadline = time.monotonic() + PATIENCE
            while self._text().count(STACK) == before and time.monotonic() < deadline:
                time.sleep(LOOK)
            time.sleep(LOOK)
        return self.read()

    def _text(self) -> str:
        with contextlib.suppress(OSError, AttributeError):  # it is closed, or the platform has no pread
            size = os.fstat(self._descriptor).st_size
            return os.pread(self._descriptor, MOST, max(0, size - MOST)).decode("ascii", "replace")
        return ""


def note_error(error: BaseException) -> None:
    """Note the exception that ends this process, if this process keeps notes."""
    if _kept is not None:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:SAID]
        _kept.write(f"{ERROR}{said}\n")  # written first, because an audit hook may raise when frames are read
        for frame, line in reversed([*traceback.walk_tb(traceback_of(error))]):
            _kept.write(f'  File "{frame.f_code.co_filename}", line {line} in {frame.f_code.co_name}\n')


def leave(status: int = 0) -> NoReturn:
    """End this process without its exit handlers, and without a note."""
    _exit(status)


def _place_in(lines: Sequence[str]) -> Place:
    """The innermost line of the user's code: in the current thread, otherwise in the main one, which comes last."""
    threads: list[list[str]] = []
    for line in lines:
        if THREAD.fullmatch(line):
            threads.append([line])
        elif threads:
            threads[-1].append(line)
    threads.sort(key=lambda thread: not thread[0].startswith("Thread"))
    return next((place for thread in reversed(threads) for place in _places(thread)), NO_PLACE)


def _places(lines: Sequence[str]) -> Iterator[Place]:
    for line in lines:
        if (found := FRAME.fullmatch(line)) and is_user_file(file := unescaped(found[1])):
            yield Place(file, int(found[2]))
