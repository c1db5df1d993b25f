"""Command lines and their words, by the rules of the platform's shells: POSIX or Windows."""

import os
import shlex
from collections.abc import Iterable

POSIX = os.sep == "/"  # elsewhere a backslash belongs to a path, and single quotes quote nothing


def join(words: Iterable[str]) -> str:
    if POSIX:
        return shlex.join(words)
    import subprocess  # noqa: PLC0415  (only Windows needs it)

    return subprocess.list2cmdline(list(words))


def split(text: str) -> list[str]:
    """The words that a shell would pass on. Raises a ValueError if a quotation mark is not closed."""
    if POSIX:
        return shlex.split(text)
    return [word.replace('"', "") for word in shlex.split(text, posix=False)]
