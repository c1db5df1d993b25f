"""Where writes have their folders. Every command looks there first, so that this imports next to nothing."""

from __future__ import annotations

import os

from pdt_annotate.values.paths import upwards
from pdt_annotate.values.user_cache import digest, find_user_cache, is_private, make_private

WRITES = "writes"


def make_place(root: str) -> str:
    """The path of the folder for a write below a directory; what that lies in is made.

    Raises:
        OSError: it cannot be made.
    """
    folder = os.path.join(find_user_cache(make=True), WRITES)
    if not make_private(folder):
        raise PermissionError(1, "you have no cache directory", folder)
    return os.path.join(folder, digest(os.fsencode(root)))


def pending_near(start: str) -> list[tuple[str, str]]:
    """The directories from one upwards below which a write has not ended, each with the folder of that write."""
    folder = os.path.join(find_user_cache(), WRITES)
    there = set(os.listdir(folder)) if os.path.isabs(folder) and is_private(folder) else ()
    found = ((root, digest(os.fsencode(root))) for root in upwards(os.path.realpath(start)) if there)
    return [(root, os.path.join(folder, name)) for root, name in found if name in there]
