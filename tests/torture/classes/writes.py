"""All files are written or none, and no other file is left, wherever a write is interrupted or fails.

A writing process is stopped before each of its system calls. There it is killed (SIGKILL; the next command repairs the
state), receives a signal (SIGTERM, SIGINT, SIGHUP), or the system call fails, once or from then on. If a write fails
between two files, the message must be true, and the next command must write the rest.
"""

import errno
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from projects import scratch
from stepping import argument, can_step
from tally import Means, Tally
from workers import Result, in_processes
from written import NEXT, attack, carries_on, recovered, told

LEAST = 1700

ASKED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
ERRORS = tuple(
    getattr(errno, name) for name in ("ENOSPC", "EIO", "EACCES", "EROFS", "EDQUOT", "EPERM", "ENOMEM", "EMFILE")
)
STREAMS = (1, 2)
"""Output to these descriptors is text for the user, and not a file."""


@dataclass(frozen=True)
class Blow:
    """The fault before the system call with this number: a signal, or an error of the system."""

    call: int
    signal: int = 0
    error: int = 0
    lasting: bool = False
    next: int = 0

    def __str__(self) -> str:
        what = signal.Signals(self.signal).name if self.signal else errno.errorcode[self.error]
        return f"{what}{' from' if self.lasting else ' at'} call {self.call}"


def run(means: Means, tally: Tally) -> None:
    if not can_step():
        return
    with scratch() as folder:
        written, stepped = attack(folder / "untouched", lambda *_: None)
        tally.count("nothing befalls it", *told(written, stepped), *carries_on(written))
        calls = stepped.calls
        in_processes(partial(_strike, folder), _choose(means, calls), tally)


def _choose(means: Means, calls: int) -> Iterator[Blow]:
    """A kill at every call, and as many of the other faults as there is time for."""
    drawn = means.random("writes")
    yield from (Blow(at, signal.SIGKILL, next=at % len(NEXT)) for at in range(calls))
    for number in ASKED:
        yield from (Blow(call, number) for call in sorted(drawn.sample(range(calls), min(calls, means.times(150)))))
    for _ in range(means.times(900)):
        yield Blow(drawn.randrange(calls), error=drawn.choice(ERRORS), lasting=drawn.random() < 0.3)


def _strike(folder: Path, blow: Blow) -> list[Result]:
    """Make one attack. Return nothing if the write had ended before."""
    striking = _Striking(blow)
    written, stepped = attack(Path(tempfile.mkdtemp(dir=folder)) / "project", striking)
    if not striking.struck:
        return []
    if stepped.code == -signal.SIGKILL or blow.lasting:
        fell = [*recovered(written, NEXT[blow.next])]
    else:
        fell = [*told(written, stepped, signal_=blow.signal)]
        fell += [*recovered(written, NEXT[0])] if b"writes the rest" in stepped.out else [*written.faults()]
    fell += carries_on(written)
    shutil.rmtree(written.folder.parent)
    return [(f"{blow} ({striking.name})", fell)]


class _Striking:
    """Causes the fault at the call."""

    def __init__(self, blow: Blow) -> None:
        self.blow = blow
        self.struck = False
        self.name = ""

    def __call__(self, process: int, calls: int, name: str) -> int | None:
        blow = self.blow
        if calls < blow.call or (self.struck and not blow.lasting):
            return None
        if blow.signal:
            os.kill(process, blow.signal)
        elif not name or (name == "write" and argument(process) in STREAMS):
            return None
        self.struck, self.name = True, self.name or name
        return blow.error or None
