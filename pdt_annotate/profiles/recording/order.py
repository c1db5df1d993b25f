"""What the processes of a program are told: in the environment, which child processes inherit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields

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
