"""The root of a project, where none is named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pdt_annotate.values.runs import Target

PROJECT_MARKS = ("pyproject.toml", ".git")
"""A directory that holds one of these is a project's root."""


def find_root(targets: Sequence[Target]) -> str:
    """The nearest directory, from the first target's file or the working directory upwards, that is a project's root.

    Without one, the working directory.
    """
    file = next((target.file for target in targets if target.file), "")
    start = Path(file).resolve().parent if file else Path.cwd()
    marked = (each for each in (start, *start.parents) if any((each / mark).exists() for mark in PROJECT_MARKS))
    return str(next(marked, Path.cwd()))
