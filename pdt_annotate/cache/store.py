"""The caches of all projects, one JSON file for each, in the user's own cache directory.

Nothing of this lies in the project, so that nobody who sends a branch can send an answer with it; and what here is a
link, another user's, or open to others is not read.
"""

from __future__ import annotations

import contextlib
import json
import os

from pdt_annotate.values.user_cache import (
    digest,
    find_user_cache,
    is_private,
    make_private,
    read_private,
    write_private,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Document = dict[str, Any]

ENTRIES, COMMANDS = "entries", "commands"
FOLDER, SUFFIX = "projects", ".json"

BROKEN = (OSError, ValueError, TypeError, LookupError, AttributeError)
"""What it comes to where the file of a cache holds something else than we write."""

KEPT = 128
"""Documents of a group that are kept, the newest."""

PROJECTS = 64
"""Projects that are kept, those that were written last."""

TAG = "CACHEDIR.TAG"
TAGGED = b"Signature: 8a477f597d28d172789f06886806bc55\n# A cache of pdt-annotate; see https://bford.info/cachedir/\n"


def digest_value(value: object) -> str:
    """A name for plain data, equal for equal values: text, numbers, and lists of them."""
    return digest(repr(value).encode(errors="surrogateescape"))


def find_root(start: str) -> str:
    """The nearest directory, from `start` upwards, of which there is a cache; "" if there is none."""
    folder = os.path.join(find_user_cache(), FOLDER)
    here = os.path.realpath(start)
    while os.path.isdir(folder) and not os.path.lexists(os.path.join(folder, _name(here))):
        here, below = os.path.dirname(here), here
        if here == below:
            return ""
    return here if os.path.isdir(folder) else ""


def file_of(root: str, *, make: bool = False) -> str:
    """Where the cache of a root is, or would be; "" where that is inside the root, or others may write it."""
    place, real = find_user_cache(make=make), os.path.realpath(root)
    folder = os.path.join(place, FOLDER)
    if not place or f"{os.path.realpath(place)}{os.sep}".startswith(os.path.join(real, "")):
        return ""
    is_there = make_private(folder) if make else is_private(folder)
    return os.path.join(folder, _name(real)) if is_there else ""


def read(root: str) -> dict[str, dict[str, Document]]:
    """All documents by group and name, the oldest first; those of a file that cannot be read are none."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        groups = json.loads(read_private(file_of(root)))
        if isinstance(groups, dict) and all(isinstance(groups.get(each), dict) for each in (ENTRIES, COMMANDS)):
            return groups
    return {ENTRIES: {}, COMMANDS: {}}


def keep(root: str, group: str, name: str, document: Document) -> None:
    """Keep a document. Of two runs at once, one may not have its own kept. A user without a place has no cache."""
    file = file_of(root, make=True)
    if not file:
        return
    groups, is_new = read(root), not os.path.exists(file)
    others = {known: each for known, each in groups[group].items() if known != name}
    groups[group] = dict([*others.items(), (name, document)][-KEPT:])
    with contextlib.suppress(OSError, ValueError):
        write_private(file, json.dumps(groups).encode())
        if is_new:
            write_private(os.path.join(find_user_cache(), TAG), TAGGED)
            _drop_oldest(os.path.dirname(file))


def clean(root: str) -> str:
    """Remove the cache of a root; its file, or "" where there was none.

    Raises:
        OSError: it cannot be removed.
    """
    file = file_of(root)
    if not (file and os.path.lexists(file)):
        return ""
    os.unlink(file)
    return file


def _name(root: str) -> str:
    return f"{digest(os.fsencode(root))}{SUFFIX}"


def _drop_oldest(folder: str) -> None:
    with os.scandir(folder) as entries:
        files = sorted(entries, key=lambda entry: entry.stat(follow_symlinks=False).st_mtime_ns)
    for file in files[:-PROJECTS]:
        os.unlink(file)
