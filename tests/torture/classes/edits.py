"""Edits that another process saves during a write are never lost, and the run names the edited file.

A writing process is stopped before one of its system calls. Then another process writes the file in place, replaces it
(as editors do), or removes it. The other files must be all old or all new. An edit between the last comparison of a
file and its replacement, a few system calls later, may be lost, and is not counted. In addition, two runs write the
same files: the second starts while the first is stopped at one of its calls.
"""

import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from projects import scratch
from stepping import argument, can_step, path_argument, step
from tally import LOST, WRONG, Means, Tally
from workers import Result, in_processes
from written import NEW, NEXT, OLD, Written, attack, carries_on, recovered, told, write_beside

LEAST = 550

NEVER = -1000
MOMENT = 16
"""The number of system calls in which a file is opened, read and replaced."""

SAVED = b"# saved by somebody else\n"
FILES = ("pkg/f0.py", "pkg/f1.py", "link.py", "pkg/f4.py")


@dataclass(frozen=True)
class Edit:
    """One file that is saved at a call. If the run is killed at a later call, the next command must keep the edit."""

    way: str
    file: str
    call: int
    later: int
    kill: bool = False

    def __str__(self) -> str:
        more = f", {'killed' if self.kill else 'ended'} at {self.later}"
        return f"{self.way} {self.file} at call {self.call}{more}"


def run(means: Means, tally: Tally) -> None:
    if not can_step():
        return
    with scratch() as folder:
        untouched, stepped = attack(folder / "untouched", lambda *_: None)
        tally.count("nothing befalls it", *told(untouched, stepped), *carries_on(untouched))
        calls = stepped.calls
        in_processes(partial(_edit, folder), _choose(means, calls), tally)
        drawn = means.random("meetings")
        in_processes(partial(_meet, folder), [drawn.randrange(calls) for _ in range(means.times(100))], tally)


def _choose(means: Means, calls: int) -> Iterator[Edit]:
    drawn = means.random("edits")
    for _ in range(means.times(700)):
        call = drawn.randrange(calls)
        yield Edit(
            drawn.choice(sorted(WAYS)), drawn.choice(FILES), call, drawn.randrange(call, calls), drawn.random() < 0.3
        )


def _edit(folder: Path, edit: Edit) -> list[Result]:
    editing = _Editing(edit)
    written, stepped = attack(Path(tempfile.mkdtemp(dir=folder)) / "project", editing)
    if not editing.begun:
        return []
    if stepped.code == 0 and editing.came_too_late and written.read(edit.file) == written.after[edit.file]:
        return []
    edited = [edit.file, *({"second_name.py", "pkg/f1.py"} if edit.file == "pkg/f1.py" else ())]
    if stepped.code == -signal.SIGKILL:
        fell = [*recovered(written, NEXT[edit.call % len(NEXT)], *edited)]
    else:
        fell = [*told(written, stepped, *edited), *written.faults(*edited)]
        said = stepped.out.decode()
        if written.state(*edited) is OLD and os.path.basename(edit.file) not in said and "f2.py" not in said:
            fell.append((WRONG, f"it does not say which file: {said}"))
    if (now := written.read(edit.file)) != (None if edit.way == "removed" else SAVED):
        fell.append((LOST, f"the file holds {now!r:.200}"))
    fell += carries_on(written, *edited)
    shutil.rmtree(written.folder.parent)
    return [(str(edit), fell)]


def _write_in_place(path: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_TRUNC)
    os.write(handle, SAVED)
    os.close(handle)


def _replace(path: str) -> None:
    beside = f"{os.path.dirname(path)}/../../editors-own"
    Path(beside).write_bytes(SAVED)
    os.replace(beside, path)


WAYS: dict[str, Callable[[str], None]] = {"written": _write_in_place, "replaced": _replace, "removed": os.unlink}


class _Editing:
    """Edits the file at the call, and records when the tool reads the file and when it replaces it."""

    def __init__(self, edit: Edit) -> None:
        self.edit = edit
        self.begun = False
        self.file = ""
        self.looked = self.replaced = NEVER

    def __call__(self, process: int, calls: int, name: str) -> None:
        edit = self.edit
        self.file = self.file or os.path.realpath(edit.file)
        if calls >= edit.call and not self.begun:
            WAYS[edit.way](self.file)
            self.begun = True
        if self.replaced is NEVER and name in ("openat", "rename") and path_argument(process, 1) == self.file:
            if name == "openat" and argument(process, 2) & os.O_ACCMODE == os.O_RDONLY:
                self.looked = calls
            else:  # a file that is opened for writing is overwritten in place
                self.replaced = calls
        if calls >= edit.later and edit.kill:
            os.kill(process, signal.SIGKILL)

    @property
    def came_too_late(self) -> bool:
        """Whether the tool last read the file before the edit, and replaced it directly afterwards."""
        return self.looked < self.edit.call <= self.looked + MOMENT and self.replaced <= self.looked + MOMENT


def _meet(folder: Path, call: int) -> list[Result]:
    """Another run writes other text into the same files, while the first run is stopped at a call."""
    others: list[int] = []

    def begin(process: int, calls: int, name: str) -> None:
        if calls == call:
            others.append(write_beside(second))

    place = Path(tempfile.mkdtemp(dir=folder)) / "project"
    first = Written.make(place)
    second = replace(first, after={name: content + b"# by another\n" for name, content in first.after.items()})
    os.chdir(place)
    stepped = step(first.write, begin)
    if not others:
        return []
    _, status = os.waitpid(others[0], 0)
    codes = (stepped.code, os.waitstatus_to_exitcode(status))
    winner = first if first.state() is NEW else second
    fell = [*winner.faults()]
    if not set(codes) <= {0, 2} or 0 not in codes:
        fell.append((WRONG, f"exit codes {codes}: {stepped.out.decode()}"))
    elif winner.state() is not NEW:
        fell.append((LOST, f"neither wrote, with exit codes {codes}"))
    shutil.rmtree(place.parent)
    return [(f"another run from call {call}", fell)]
