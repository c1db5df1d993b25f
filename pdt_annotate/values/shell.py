"""Words of a command line, as the shells of the platform take them: POSIX ones, or those of Windows."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable

POSIX = os.sep == "/"  # elsewhere a backslash belongs to a path, and single quotes quote nothing


def join(words: Iterable[str]) -> str:
    """A command to be typed."""
    if POSIX:
        return shlex.join(words)
    import subprocess  # noqa: PLC0415  (a name of it that only Windows wants)

    return subprocess.list2cmdline(list(words))


def split(text: str) -> list[str]:
    """The words that a shell would pass on.

    Raises:
        ValueError: a quotation has no end.
    """
    if POSIX:
        return shlex.split(text)
    return [word.replace('"', "") for word in shlex.split(text, posix=False)]
