"""The words that emitters and the report share."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from itertools import groupby

from pdt_annotate.ir import Outcome


def plural(count: int, noun: str) -> str:
    """
    >>> plural(1, "file"), plural(3, "file")
    ('1 file', '3 files')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def abbreviate(paths: Sequence[str], to: str) -> str:
    """Neighbours that count up, three or more, by the first and the last.

    >>> abbreviate(["stem", "layers.0", "layers.1", "layers.2"], "to")
    'stem, layers.0 to layers.2'
    """
    shown: list[str] = []
    for _, group in groupby(paths, key=lambda path: re.sub(r"\d+", "#", path)):
        names = list(group)
        counts = len(names) >= 3 and any(each.isdigit() for each in names[0].split("."))
        shown += [f"{names[0]} {to} {names[-1]}"] if counts else names
    return ", ".join(shown)


def tally(outcome: Outcome) -> tuple[str, str]:
    """How many annotations in how many changed files: ("3 annotations", "1 file")."""
    changed = {change.file for change in outcome.changes}
    count = sum(annotation.slot.owner.file in changed for annotation in outcome.annotations)
    return plural(count, "annotation"), plural(len(changed), "file")


def place(file: str, line: int) -> str:
    """ "dir/model.py:12", from the working directory, as terminals and editors make it a link; "" without a file."""
    if not file:
        return ""
    return f"{shown(file)}:{line}" if line else shown(file)


def shown(file: str) -> str:
    """The file from the working directory if it is below it, else in full."""
    relative = os.path.relpath(file) if os.path.isabs(file) else file
    return file if relative.startswith(os.pardir) else relative


def first_line(text: str) -> str:
    """The first line of a text, stripped."""
    return next(iter(text.strip().splitlines()), "")
