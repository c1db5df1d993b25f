"""A whole run that is ended while it writes leaves all old or all new, says which, and the next run carries on.

The command itself, in a project of many files: killed, asked to end or interrupted at some moment, mostly one at which
its list is there. Then the same command again, which has to end well.
"""

import random
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from projects import Entries, Ran, entries, environment, finish, prepare, run_tool, scratch, start
from tally import LEFT, LOST, WRONG, Means, Tally, side_by_side

LEAST = 20

FILES = 40
PROFILE = "observed.sqlite"
LISTS = ".cache/pdt-annotate/writes/*/list"
"""Below the home of a run."""
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
WORDS = (("--profile", PROFILE), ("--profile", PROFILE, "--stubs", "stubs"))
PART = """\
from torch import nn


class Part(nn.Module):
    def forward(self, x, scale, mask=None):
        return x * scale if mask is None else x * scale + mask
"""
NET = f"""\
from importlib import import_module

from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([import_module(f"pkg.part{{number}}").Part() for number in range({FILES})])

    def forward(self, x, mask=None):
        for index, part in enumerate(self.parts):
            x = part(x, index + 1, mask)
        return x
"""
INPUTS = "import torch\n\nexample_inputs = [(torch.ones(2),), (torch.ones(2), torch.ones(2))]\n"
WRITING, STARTING = 0.06, 1.5
"""Seconds within which what is written is, and within which it is made."""


@dataclass(frozen=True)
class End:
    """A run that gets a signal: so many seconds after its list appears, or after it was begun."""

    words: tuple[str, ...]
    signal: int
    after: float
    writing: bool

    def __str__(self) -> str:
        since = "its list appeared" if self.writing else "it was begun"
        return f"{' '.join(self.words)}: {signal.Signals(self.signal).name} {self.after * 1000:.0f} ms after {since}"


@dataclass(frozen=True)
class Project:
    """The project, and what lies in a copy of it after an undisturbed run with these words."""

    made: Path
    before: Entries
    after: Mapping[tuple[str, ...], Entries]

    def copy(self, folder: Path) -> Path:
        return Path(shutil.copytree(self.made, Path(tempfile.mkdtemp(dir=folder)) / "project"))


def run(means: Means, tally: Tally) -> None:
    with scratch() as folder:
        project = _make(folder)
        drawn = means.random("runs")
        side_by_side(partial(_end, project, folder, tally), [_choose(drawn) for _ in range(means.times(30))])


def _make(folder: Path) -> Project:
    made = folder / "made"
    (made / "pkg").mkdir(parents=True)
    parts = {f"pkg/part{number}.py": PART for number in range(FILES)}
    others = {"pkg/net.py": NET, "pkg/__init__.py": "", "inputs.py": INPUTS, "pyproject.toml": ""}
    for name, text in (parts | others).items():
        (made / name).write_text(text)
    prepare(["observe", "pkg.net:Net", "-i", "inputs.py", "--save-profile", PROFILE], made)
    shutil.rmtree(made / "pkg" / "__pycache__", ignore_errors=True)
    begun = Project(made, entries(made), {})
    after: dict[tuple[str, ...], Entries] = {}
    for words in WORDS:
        place = begun.copy(folder)
        prepare(words, place)
        after[words] = entries(place)
    return replace(begun, after=after)


def _choose(drawn: random.Random) -> End:
    writing = drawn.random() < 0.75
    return End(drawn.choice(WORDS), drawn.choice(SIGNALS), drawn.uniform(0, WRITING if writing else STARTING), writing)


def _end(project: Project, folder: Path, tally: Tally, end: End) -> None:
    place = project.copy(folder)
    env = environment(place.parent / "home")
    process = start(end.words, place, env)
    while end.writing and process.poll() is None and not any((place.parent / "home").glob(LISTS)):
        time.sleep(0.0005)
    time.sleep(end.after)
    process.send_signal(end.signal)  # none, where the run has ended
    ran = finish(process, env)
    fell = [*ran.faults(), *(_judge(project, place, ran, end) if ran.code != -signal.SIGKILL else ())]
    again = run_tool(end.words, place, env)
    fell += again.faults()
    if again.code or entries(place) != project.after[end.words]:
        fell.append((LOST, f"the same run, exit {again.code}, does not lead to the same files: {again.said[-300:]}"))
    shutil.rmtree(place.parent)
    tally.count(str(end), *fell)


def _judge(project: Project, place: Path, ran: Ran, end: End) -> Iterator[tuple[str, str]]:
    """What is wrong with a run that could still clear away and speak."""
    now = entries(place)
    is_old, is_new = now == project.before, now == project.after[end.words]
    if left := now.keys() - project.before.keys() - project.after[end.words].keys():
        yield LEFT, ", ".join(sorted(left))
    elif not (is_old or is_new):
        yield LOST, "some old and some new"
    if is_old is ("nothing was written" not in ran.said) and ran.code > 0:
        yield WRONG, f"exit {ran.code}, all is {'old' if is_old else 'new'}, and it says: {ran.said[-300:]}"
    # Before and after the tool answers signals the system does, and a run that was done before it heard one is done.
    if ran.code not in {128 + end.signal, *({0} if is_new else ()), *(() if ran.said and is_old else {-end.signal})}:
        yield WRONG, f"exit {ran.code} after {end}, all is {'old' if is_old else 'new'}: {ran.said[-300:]}"
