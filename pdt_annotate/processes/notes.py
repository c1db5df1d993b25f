"""Notes of a child for its supervisor: the phase it was in, and how it crashed, hung, exited or failed.

A file without a name, shared with all forks: it holds the phase, then the error that ended a process of ours, and then
what `faulthandler` writes. All of it may be the user's code's, and is read as text of a known form alone.
"""

from __future__ import annotations

import contextlib
import faulthandler
import mmap
import os
import re
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pdt_annotate.processes import tree
from pdt_annotate.values.phase import tell_phases_to
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.user_code import OURS, is_user_file, traceback_of

PHASE, ERROR = 256, 2**13
STACKS = 2**16
"""Bytes that are read of each."""

SAID = 500
"""Characters of what an error says."""

HIGH = 500
"""The least number of its descriptor, which is neither closed nor taken by what counts from the bottom."""

DEADLY = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP", "SIGQUIT", "SIGALRM", "SIGXCPU", "SIGUSR1")]
"""What ends a process that does not heed it, and is no fault to `faulthandler`."""

DUMP = getattr(signal, "SIGRTMAX", None) or getattr(signal, "SIGUSR2", None)
"""Tells a process to write its stacks."""

PATIENCE, LOOK = 0.5, 0.01
"""Seconds for that, and between two looks."""

THREAD = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]+ .*\(most recent call first\):|Stack \(.*\):")
FRAME = re.compile(r'  File "(.*)", line (\d+) in (.*)')
FATAL = re.compile(r"Fatal Python error: [\w ()':,.-]+")
TOLD = re.compile("|".join(f"(?:{each.pattern})" for each in (THREAD, FRAME, FATAL)))
ESCAPED = re.compile(r"\\x[0-9a-f]{2}|\\u[0-9a-f]{4}|\\U[0-9a-f]{8}")

_memory: mmap.mmap | None = None
"""The beginning of the file, in a process that keeps notes."""

# Bound here, where no code of the user's has run yet.
_exit, _pwrite, _type = os._exit, getattr(os, "pwrite", None), type


@dataclass(frozen=True)
class Last:
    """The last that is known of a process.

    Args:
        phase: what it was doing, "while running call 2", or did before, "after running call 2"; "" where nobody knows.
        place: the line of the user's code that ran, or that raised the error.
        stack: what `faulthandler` told of a crash.
        error: what ended the process, where that was an exception which reached the end of our own code.
    """

    phase: str = ""
    place: Place = NO_PLACE
    stack: str = ""
    error: str = ""

    @property
    def where(self) -> str:
        """The phase, as the end of a sentence."""
        return f", {self.phase}" if self.phase else ""

    def tell_stack(self, output: int) -> None:
        """Print where it crashed, if it did."""
        if self.stack:
            with contextlib.suppress(OSError):
                os.write(output, f"{self.stack}\n".encode("ascii", "replace"))


class Notes:
    """
    Args:
        descriptor: of the file, where another process has made it.
    """

    def __init__(self, descriptor: int | None = None) -> None:
        self._descriptor = _make() if descriptor is None else _lift(descriptor)
        self.clear()

    def fileno(self) -> int:
        return self._descriptor

    def close(self) -> None:
        os.close(self._descriptor)

    def clear(self, phase: str = "") -> None:
        """Forget everything but a phase."""
        with contextlib.suppress(OSError):
            os.ftruncate(self._descriptor, PHASE + ERROR)
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.write(self._descriptor, phase.encode(errors="replace")[:PHASE].ljust(PHASE + ERROR, b"\0"))

    def keep(self) -> None:
        """Have this process, and the forks of it, note what they do from here on, and how they end."""
        global _memory
        tell_phases_to(self._note)
        with contextlib.suppress(OSError, ValueError):
            _memory = mmap.mmap(self._descriptor, PHASE + ERROR)
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            faulthandler.enable(self._descriptor)
            if DUMP is not None:
                faulthandler.register(DUMP, self._descriptor, all_threads=True)
            for number in filter(None, DEADLY):
                faulthandler.register(number, self._descriptor, all_threads=False, chain=True)
        os._exit = self._exit

    def _note(self, phase: str) -> None:
        """Through the descriptor: where the user's code has closed that, the last phase noted is the one that did."""
        if _pwrite is not None:
            with contextlib.suppress(OSError):
                _pwrite(self._descriptor, phase.encode(errors="replace")[:PHASE].ljust(PHASE, b"\0"), 0)

    def _exit(self, status: int) -> Any:
        with contextlib.suppress(BaseException):
            faulthandler.dump_traceback(self._descriptor, all_threads=False)
        _exit(status)

    def read(self) -> Last:
        """What was noted."""
        try:
            phase = os.pread(self._descriptor, PHASE, 0).rstrip(b"\0").decode(errors="replace")
            error = os.pread(self._descriptor, ERROR, PHASE).rstrip(b"\0").decode("ascii", "replace")
            stacks = os.pread(self._descriptor, STACKS, PHASE + ERROR).decode("ascii", "replace")
        except (OSError, AttributeError):
            return Last()
        lines = [line for line in stacks.splitlines() if TOLD.fullmatch(line)]
        shown = "".join(filter(str.isprintable, phase))
        if error:
            said, *frames = error.splitlines()
            return Last(shown, next(_places(frames), NO_PLACE), error="".join(filter(str.isprintable, said)))
        crash = [line for line in lines if not _is_ours(line)] if lines and FATAL.match(lines[0]) else []
        return Last(shown, _place_in(lines), "\n".join(crash))

    def ask(self, pid: int) -> Last:
        """What a process was doing that does not come back. What it may wait for writes its stacks first."""
        # To what is no fork of ours the signal is deadly.
        for each in (*(child for child in reversed([*tree.below(pid)]) if not tree.tidies(child)), pid):
            if DUMP is None or self.read().place.file:
                break
            before = self._size()
            with contextlib.suppress(OSError):
                os.kill(each, DUMP)
            deadline = time.monotonic() + PATIENCE
            while self._size() == before and time.monotonic() < deadline:
                time.sleep(LOOK)
            time.sleep(LOOK)
        return self.read()

    def _size(self) -> int:
        with contextlib.suppress(OSError):
            return os.fstat(self._descriptor).st_size
        return 0


def note_error(error: BaseException) -> None:
    """Note what ends this process, where it is no exit of the user's code, for whoever watches it.

    Without builtins, which may be what failed, and through memory, for descriptors may be closed.
    """
    said = " ".join(f"{_type(error).__name__}: {error}".split())[:SAID]
    _write_error(said)  # to look at frames is an audit event, for which a hook may raise
    frames, traceback = "", traceback_of(error)
    while traceback is not None:
        code = traceback.tb_frame.f_code
        frames = f'  File "{code.co_filename}", line {traceback.tb_lineno} in {code.co_name}\n{frames}'
        traceback = traceback.tb_next
    _write_error(f"{said}\n{frames}")


def _write_error(told: str) -> None:
    if _memory is not None:
        _memory[PHASE:] = told.encode("ascii", "backslashreplace")[:ERROR].ljust(ERROR, b"\0")


def _place_in(lines: Sequence[str]) -> Place:
    """The innermost line of the user's: of the thread that crashed or was asked, else of the main one, told last."""
    threads: list[list[str]] = []
    for line in lines:
        if THREAD.fullmatch(line):
            threads.append([line])
        elif threads:
            threads[-1].append(line)
    threads.sort(key=lambda thread: not thread[0].startswith("Thread"))  # stable
    return next((place for thread in reversed(threads) for place in _places(thread)), NO_PLACE)


def _is_ours(line: str) -> bool:
    found = FRAME.fullmatch(line)
    return found is not None and (found[1].startswith(OURS) or found[1] == "<string>")


def _places(lines: Sequence[str]) -> Iterator[Place]:
    for line in lines:
        if (found := FRAME.fullmatch(line)) and is_user_file(file := ESCAPED.sub(_character, found[1])):
            yield Place(file, int(found[2][:9]))


def _character(found: re.Match[str]) -> str:
    return chr(int(found[0][2:], 16))


def _make() -> int:
    if hasattr(os, "memfd_create"):
        with contextlib.suppress(OSError):
            return _lift(os.memfd_create("pdt-annotate"))
    with tempfile.TemporaryFile() as file:
        return _lift(os.dup(file.fileno()))


def _lift(descriptor: int) -> int:
    """The same file by a high number, if that can be had."""
    try:
        import fcntl  # noqa: PLC0415 - not everywhere

        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, HIGH)
    except (ImportError, OSError, ValueError):
        return descriptor
    os.close(descriptor)
    return high
