"""Before a command begins: what runs have left that were ended while they wrote."""

from __future__ import annotations

import os
from collections.abc import Iterator

from pdt_annotate.cli.saying import say
from pdt_annotate.writes.ledger import list_files
from pdt_annotate.writes.near import pending_near


def recover(start: str) -> None:
    """Finish what was left in a directory and those above it, and say what came of it."""
    for root, folder in pending_near(start):
        for line in _recover(root, folder):
            say(f"note: {line}")


def recover_here() -> None:
    """The same for the working directory, if it is there."""
    try:
        here = os.getcwd()
    except OSError:
        return
    recover(here)


def _recover(root: str, folder: str) -> Iterator[str]:
    from pdt_annotate.writes.pending import Busy, recovered  # noqa: PLC0415

    try:
        with recovered(root, folder) as left:
            if left.written:
                yield f"a run was ended while it wrote; what it was writing is written now: {list_files(left.written)}"
            if left.edited:
                yield f"a run was ended while it wrote; changed since, so left as they are: {list_files(left.edited)}"
    except Busy:
        yield f"another run is writing in {root}"
    except OSError as error:
        where = error.filename or folder
        yield f"a run was ended while it wrote, which cannot be finished now: {error.strerror}: {where}"
