"""Files that are written in a process that is attacked at one of its system calls, and their state afterwards.

The process is a fork that runs the tool's own code, from the function that every flow calls to the messages of errors.
This takes milliseconds, while a whole run takes seconds.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from stepping import AtStop, Stepped, step
from tally import BUG, LEFT, LOST, WRONG

from pdt_annotate import writes
from pdt_annotate.__main__ import main
from pdt_annotate.cli.entry import raising, report_error
from pdt_annotate.writes.transaction import write_files

OLD, NEW, MIXED = "all old", "all new", "some old and some new"
FILES = 5
SECOND_NAME, LINK, MADE = "second_name.py", "link.py", "pkg/made/new.json"
WRITTEN, NOT_WRITTEN = "written", "nothing was written"
NEXT = (["clean"], ["explain", "PDT001"], ["--help"])
"""The next commands. Each of them must repair the state."""


@dataclass(frozen=True)
class Written:
    """A small project, and the contents to write: plain files, one with two names, one via a link, and a new one."""

    folder: Path
    before: dict[str, bytes]
    after: dict[str, bytes]

    @staticmethod
    def make(folder: Path) -> Written:
        (folder / "pkg").mkdir(parents=True)
        (folder / "pyproject.toml").write_text("")
        names = [f"pkg/f{number}.py" for number in range(FILES)]
        before = {name: f"# {name} as it was\n".encode() * 40 for name in names}
        after = {name: f"# {name} annotated\n".encode() * (30 + 5 * index) for index, name in enumerate(names)}
        for name, content in before.items():
            (folder / name).write_bytes(content)
        os.link(folder / names[1], folder / SECOND_NAME)
        os.symlink(names[2], folder / LINK)
        after[LINK], before[LINK] = after.pop(names[2]), before.pop(names[2])
        return Written(folder, before, after | {MADE: b"{}\n"})

    def write(self) -> int:
        """Write as a command does, and return the exit code. Only in a fork."""
        writes.written.clear()
        try:
            with raising():
                after, before = (
                    {self._path(name): text for name, text in each.items()} for each in (self.after, self.before)
                )
                write_files(after, before, str(self.folder))
                print("all were written", flush=True)
        except (Exception, KeyboardInterrupt) as error:
            return report_error(error)
        return 0

    def run_next(self, words: list[str]) -> tuple[int, str]:
        """Run a command in the project, in a fork. Return its exit code and output."""
        os.chdir(self.folder)
        with tempfile.TemporaryFile() as said:
            process = os.fork()
            if not process:
                _run(words, said.fileno())
            _, status = os.waitpid(process, 0)
            said.seek(0)
            return os.waitstatus_to_exitcode(status), said.read().decode()

    def state(self, *without: str) -> str:
        """Whether all files except these are old, new, or mixed."""
        held = {name: self.read(name) for name in self.after if name not in without}
        if all(content == self.before.get(name) for name, content in held.items()):
            return OLD
        return NEW if all(content == self.after[name] for name, content in held.items()) else MIXED

    def faults(self, *without: str) -> Iterator[tuple[str, str]]:
        """Faults that must not occur after any end except a kill, or after the next run."""
        if (state := self.state(*without)) is MIXED:
            yield LOST, state
        expected = {"pyproject.toml", "pkg", SECOND_NAME, LINK, *self.before, "pkg/f2.py", *without}
        expected |= {MADE, "pkg/made"} if (self.folder / MADE).exists() or state is NEW else set()
        found = {path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*")}
        if left := found - expected:
            yield LEFT, ", ".join(sorted(left))
        if SECOND_NAME not in without and "pkg/f1.py" not in without and not self._keeps_names():
            yield WRONG, "a file has lost its second name, or a link is none any more"

    def _keeps_names(self) -> bool:
        one, other = self.folder / "pkg/f1.py", self.folder / SECOND_NAME
        return one.samefile(other) and (self.folder / LINK).is_symlink()

    def _path(self, name: str) -> str:
        return str(self.folder / name)

    def read(self, name: str) -> bytes | None:
        try:
            return (self.folder / name).read_bytes()
        except FileNotFoundError:
            return None


def attack(folder: Path, at_stop: AtStop) -> tuple[Written, Stepped]:
    """Write in a new project in that folder."""
    written = Written.make(folder)
    os.chdir(folder)
    return written, step(written.write, at_stop)


def write_beside(written: Written) -> int:
    """Write in a fork without output, and return the process."""
    process = os.fork()
    if not process:
        code = 99
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            code = written.write()
        finally:
            os._exit(code)
    return process


def carries_on(written: Written, *without: str) -> Iterator[tuple[str, str]]:
    """The faults after another write without attacks: all files must be new."""
    after = {name: content + b"# once more\n" for name, content in written.after.items() if name not in without}
    before = {name: content for name in after if (content := written.read(name)) is not None}
    again = replace(written, before=before, after=after)
    _, status = os.waitpid(write_beside(again), 0)
    if status or again.state() is not NEW:
        yield LOST, f"written once more, exit {os.waitstatus_to_exitcode(status)}: {again.state()}"


def told(written: Written, stepped: Stepped, *without: str, signal_: int = 0) -> Iterator[tuple[str, str]]:
    """The faults in the output of a process that could print.

    Args:
        signal_: the signal that it received, if any.
    """
    said, state = stepped.out.decode("utf-8", "replace"), written.state(*without)
    if stepped.code in (70, 99, 120) or "Traceback" in said:
        yield BUG, said[-500:]
    elif stepped.code == -signal.SIGXCPU:
        yield WRONG, "it has no end"
    elif stepped.code not in {0, 128 + signal_ if signal_ else 2, -signal_}:
        yield WRONG, f"exit {stepped.code}, and it says: {said}"
    elif stepped.code == 0 and state is not NEW:
        yield WRONG, f"exit 0, {state}, and it says: {said}"
    elif state is NEW and NOT_WRITTEN in said:
        yield WRONG, f"all was written, and it says: {said}"
    elif state is OLD and stepped.code >= 0 and NOT_WRITTEN not in said:
        yield WRONG, f"nothing was written, exit {stepped.code}, and it says: {said}"
    elif state is NEW and stepped.code > 0 and WRITTEN not in said:
        yield WRONG, f"all was written, exit {stepped.code}, and it says: {said}"


def recovered(written: Written, words: list[str], *without: str) -> Iterator[tuple[str, str]]:
    """The faults after the next command."""
    code, said = written.run_next(words)
    if code or "Traceback" in said:
        yield BUG, f"{words}: exit {code}: {said[-500:]}"
    yield from written.faults(*without)


def _run(words: list[str], said: int) -> None:
    code = 99
    try:
        os.dup2(said, 1)
        os.dup2(said, 2)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["pdt-annotate", *words]
        main()
    except SystemExit as left:
        code = int(left.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
