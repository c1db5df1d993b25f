"""The words that emitters and the report share."""

from __future__ import annotations

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
