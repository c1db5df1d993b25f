"""The files that this process has written by now, for whoever has to say so when it ends before its time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence

from pdt_annotate.values.paths import named_from

NAMED = 3
written: list[str] = []
"""What has its new content, and keeps it, since the command began."""


@contextlib.contextmanager
def unsaid() -> Iterator[None]:
    """What is written inside does not count."""
    before = list(written)
    yield
    written[:] = before


def describe(files: Sequence[str]) -> str:
    """That these files were written, as the end of a sentence."""
    return f"{list_files(files)} {'was' if len(files) == 1 else 'were'} written" if files else "nothing was written"


def list_files(files: Iterable[str]) -> str:
    """ "a.py, b.py, c.py and 4 more"."""
    names = [named_from(file) for file in dict.fromkeys(files)]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"
