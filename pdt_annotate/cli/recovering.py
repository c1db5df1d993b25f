"""Before a command begins: what runs have left that were ended while they wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from pdt_annotate.cli.saying import say
from pdt_annotate.values.paths import named_from
from pdt_annotate.writes.near import journals_near

TOLD = 3


def recover(start: str) -> None:
    """Recover what was left in a directory and those above it, and say what came of it."""
    if not any(journals_near(start)):
        return
    from pdt_annotate.writes.recovery import recover_near  # noqa: PLC0415

    for recovered in recover_near(start):
        for line in _describe(recovered):
            say(f"note: {line}")


def recover_here() -> None:
    """The same for the working directory, if it is there."""
    try:
        here = os.getcwd()
    except OSError:
        return
    recover(here)


def list_files(files: Sequence[str]) -> str:
    """ "a.py, b.py, c.py and 4 more"."""
    more = len(files) - TOLD
    shown = ", ".join(named_from(file) for file in files[:TOLD])
    return f"{shown} and {more} more" if more > 0 else shown


def _describe(recovered: Any) -> Iterator[str]:
    if recovered.restored:
        yield f"a run was ended while it wrote, so these are as they were before it: {list_files(recovered.restored)}"
    if recovered.edited:
        yield f"a run was ended while it wrote; changed since, so left as they are: {list_files(recovered.edited)}"
    if recovered.kept:
        yield f"what was saved while a run replaced files is in {list_files(recovered.kept)}"
    if recovered.unrecovered:
        yield recovered.unrecovered
