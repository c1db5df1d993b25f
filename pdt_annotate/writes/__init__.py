"""Writes several files, all or none, even if an error, a signal or a power failure ends the run.

Before any file is touched, the new contents and a *list* of the files are put into the user's cache directory. Once the
list is there, the write is finished, by the run itself or by the next command. Without a list no file was changed, and
the stored contents are removed. A file with neither its old nor its new content was edited meanwhile, and is kept.

Every command needs the facts in this file, which imports little: the written files, and interrupted writes.
"""

import os
import signal
from collections.abc import Iterable, Sequence

from pdt_annotate.values.paths import named_from, upwards
from pdt_annotate.values.user_cache import digest, find_user_cache, is_private, make_private

WRITES = "writes"
NAMED = 3
written: list[str] = []  # files that got their new content for good since the command began
ENDING = tuple(getattr(signal, name) for name in ("SIGHUP", "SIGTERM", "SIGINT") if hasattr(signal, name))
"""Signals that ask a process to end and can be handled. SIGINT is last, so its handler is restored last."""


def make_place(root: str) -> str:
    """Return the path of the folder for a write below a directory, and make the folder's parent."""
    folder = os.path.join(find_user_cache(make=True), WRITES)
    if not make_private(folder):
        raise PermissionError(1, "there is no cache directory", folder)
    return os.path.join(folder, digest(os.fsencode(root)))


def pending_near(start: str) -> list[tuple[str, str]]:
    """Return the directories from one upwards below which a write is unfinished, each with its folder."""
    folder = os.path.join(find_user_cache(), WRITES)
    there = set(os.listdir(folder)) if os.path.isabs(folder) and is_private(folder) else ()
    found = ((root, digest(os.fsencode(root))) for root in upwards(os.path.realpath(start)) if there)
    return [(root, os.path.join(folder, name)) for root, name in found if name in there]


def describe(files: Sequence[str]) -> str:
    """Return a clause that says that these files were written."""
    return f"{list_files(files)} {'was' if len(files) == 1 else 'were'} written" if files else "nothing was written"


def list_files(files: Iterable[str]) -> str:
    names = [named_from(file) for file in dict.fromkeys(files)]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"
