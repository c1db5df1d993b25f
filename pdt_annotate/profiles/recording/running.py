"""What a running program is asked to leave, its modules, and which files are edited while it runs.

A program is `__main__` to itself: with `-m` its import name is known; else `profiles.record` finds one. The functions
of a file that was edited are no longer what the source says.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields

from pdt_annotate.profiles.record import MAIN
from pdt_annotate.source.locals import wanted_locals
from pdt_annotate.values.live import file_of, state_of
from pdt_annotate.values.slots import Observation, Owner

PREFIX = "PDT_ANNOTATE_RUN_"


@dataclass(frozen=True)
class Order:
    """What to observe and where to leave it.

    Args:
        root: functions in files below it are observed (absolute).
        parts: the directory in which every process leaves its part (absolute).
        session: a random word, with which the names of the parts of one program begin.
        label: the name of the program.
        packages: what Pythons are lent that lack it, our package first: "NAME=DIRECTORY", separated as in PYTHONPATH.
    """

    root: str
    parts: str
    session: str
    label: str
    packages: str

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Order:
        """The order in an environment; raises KeyError where it has none."""
        return cls(**{field.name: environment[PREFIX + field.name.upper()] for field in fields(cls)})

    def variables(self) -> dict[str, str]:
        """The order as environment variables."""
        return {PREFIX + field.name.upper(): getattr(self, field.name) for field in fields(self)}

    def part(self, run: str) -> str:
        """The file of one process."""
        return os.path.join(self.parts, f"{self.session}-{run}.sqlite")


Version = tuple[int, int] | None


def main_name() -> str:
    """What the main program is to be called, "" where Python does not know."""
    name = getattr(state_of(sys.modules.get(MAIN)).get("__spec__"), "name", MAIN)
    return "" if name == MAIN else name  # a directory that is run, too


def main_file() -> str:
    """The file of the main program, "" where there is none. Python forgets it when the program has run to its end."""
    return file_of(MAIN)


def modules(is_wanted: Callable[[str], bool], main: str) -> dict[str, str]:
    """The modules that are imported now from files that are wanted: dotted name → file.

    Args:
        is_wanted: the filter.
        main: the file of the main program, where Python may have forgotten it.
    """
    found = {MAIN: main, **{name: file for name in list(sys.modules) if (file := file_of(name))}}
    return {name: file for name, file in found.items() if file.endswith(".py") and is_wanted(file)}


class SourceVersions:
    """The versions that files had when the first of their functions was called."""

    def __init__(self) -> None:
        self._versions: dict[str, Version] = {}

    def wanted_locals(self, owner: Owner) -> Iterator[tuple[str, int]]:
        """The locals to read in a function that is called for the first time."""
        if owner.file not in self._versions:
            self._versions[owner.file] = version_of(owner.file)
        return wanted_locals(owner)

    def unchanged(self, observations: Iterable[Observation]) -> Iterator[Observation]:
        """The observations of functions whose files are as they were."""
        same = {file for file, version in self._versions.items() if version == version_of(file)}
        return (o for o in observations if o.slot.owner.file in same)


def version_of(file: str) -> Version:
    """What changes when a file is written: its time in nanoseconds, and its size; None where it is gone."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size)
