"""The words that emitters and the report share."""

from __future__ import annotations

import os

from pdt_annotate.ir import Outcome


def plural(count: int, noun: str) -> str:
    """
    >>> plural(1, "file"), plural(3, "file")
    ('1 file', '3 files')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


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
