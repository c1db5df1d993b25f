"""Start a program that is to be observed, and be no more than its shadow while it runs."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pdt_annotate.interpreters.interpreter import Interpreter
from pdt_annotate.profiles.profile import Profile
from pdt_annotate.profiles.recording.gathering import Gathering, environment
from pdt_annotate.values.errors import UserError

DIED = 128
"""What shells add to the number of the signal that ended a program, for its exit code."""

KEYBOARD = ("SIGINT", "SIGQUIT")
"""Signals that a terminal sends to the program as well as to us."""

FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
"""Signals that come to us alone and are meant for the program."""

HINT = "pdt-annotate run -- train.py …, -- -m package.module …, or -- torchrun … train.py"


@dataclass(frozen=True)
class Recorded:
    """What came of a program: its exit code, what was observed, and how many of its processes observed something."""

    code: int
    profile: Profile
    processes: int


def record_program(words: Sequence[str], root: str, file: str, interpreter: Interpreter) -> Recorded:
    """Run a program to its end, observe it, and save what was observed, if anything was.

    Args:
        words: the program and its arguments.
        root: functions in files below it are observed (absolute).
        file: the profile; its parts are in a directory beside it meanwhile.
        interpreter: the Python that runs modules and Python files.

    Raises:
        UserError: the program cannot be started, or the profile cannot be saved.
    """
    command = find_program(words, interpreter.executable)
    gathering = Gathering.make(label_of(words), root, file)
    with gathering.parts() as order:
        code = _run(command, {**os.environ, **environment(order, os.environ)})
        profile, processes = gathering.gather(file)
    return Recorded(code, profile, processes)


def find_program(words: Sequence[str], python: str) -> list[str]:
    """The command for a program: `-m` and Python files by an interpreter, others from beside it or from PATH.

    Raises:
        UserError: there is none.
    """
    if not words:
        raise UserError("no program to run", hint=HINT)
    first = words[0]
    if first.startswith("-"):
        return [python, *words]
    if first.endswith(".py"):
        if not os.path.exists(first):
            raise UserError(f"there is no file {first}", hint=HINT)
        return [python, *words]
    found = shutil.which(first, path=os.path.dirname(python)) or shutil.which(first)
    if found is None:
        raise UserError(f"there is no program {first} on PATH", hint=HINT)
    return [found, *words[1:]]


def label_of(words: Sequence[str]) -> str:
    """The name of the program, the same in all of its processes."""
    named = words[1] if words[0] == "-m" and len(words) > 1 else words[0]
    return os.path.basename(named)


def _run(command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Run a command in our place, on our streams, and return its exit code.

    Raises:
        UserError: it cannot be started.
    """
    with _signals() as receivers:
        try:
            process = subprocess.Popen(command, env=variables, close_fds=False)
        except OSError as error:
            raise UserError(f"cannot start {command[0]}: {error.strerror}", hint=HINT) from error
        receivers.append(process)
        code = process.wait()
    return code if code >= 0 else DIED - code


@contextlib.contextmanager
def _signals() -> Iterator[list[subprocess.Popen[bytes]]]:
    """Leave signals to the processes that are put into the list. What is ignored stays so, for the program too."""
    receivers: list[subprocess.Popen[bytes]] = []

    def leave(number: int, frame: object) -> None:
        pass

    def forward(number: int, frame: object) -> None:
        for process in receivers:
            process.send_signal(number)

    handlers = {**dict.fromkeys(KEYBOARD, leave), **dict.fromkeys(FORWARDED, forward)}
    numbers = {getattr(signal, name): handler for name, handler in handlers.items() if hasattr(signal, name)}
    before = {number: signal.getsignal(number) for number in numbers}
    for number, handler in numbers.items():
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield receivers
    finally:
        for number, original in before.items():
            signal.signal(number, original)
