"""Paths as people and programs read them, on all platforms: from a directory, and with "/"."""

from __future__ import annotations

import contextlib
import os


def named_from(path: str, directory: str = "") -> str:
    """A path as it is named from a directory, by default the current one; whole, where it lies on another drive."""
    with contextlib.suppress(ValueError):
        path = os.path.relpath(path, directory or os.curdir)
    return path.replace(os.sep, "/")
