"""Where journals lie: looked for by every command before anything else, so that it takes a few calls of the system."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # `typing` itself takes longer to import than an answer from the cache
if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = ".pdt-annotate-journal"


def journals_near(start: str) -> Iterator[str]:
    """The journals in a directory and those above it, the nearest first, whoever wrote them."""
    path, above = start, os.path.dirname(start)
    while path != above:
        yield from _in(path)
        path, above = above, os.path.dirname(above)
    yield from _in(path)


def _in(directory: str) -> Iterator[str]:
    path = os.path.join(directory, NAME)
    if os.path.lexists(path):
        yield path
