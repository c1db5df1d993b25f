"""Whose modules installed code gets by its import statements: those that it was installed with.

The folders of the project stand first on the path in a session, as they do for the user's own programs. What torch
imports late, or we do, may then have the name of a file that lies there.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import FrameType, ModuleType

from pdt_annotate.values.installed import PACKAGES
from pdt_annotate.values.user_code import OURS, is_user_file

STANDARD = os.path.dirname(os.path.abspath(os.__file__))
FINDERS = os.path.join(OURS, "overlays", "")
ASKED_BY_NAME = importlib.import_module.__code__  # what looks up a name that is a value, of the user's as likely as not


class LibraryFirst:
    """A finder of top-level modules, for installed code alone; to stand before the one that goes along the path."""

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or not _is_asked_by_installed(sys._getframe(1)):
            return None
        return PathFinder.find_spec(name, [entry for entry in sys.path if _is_installed_in(entry)])


def put_up() -> None:
    """Have modules looked for so in this process, and in its forks."""
    places = (index for index, finder in enumerate(sys.meta_path) if finder is PathFinder)
    sys.meta_path.insert(next(places, len(sys.meta_path)), LibraryFirst())


def _is_asked_by_installed(frame: FrameType | None) -> bool:
    while frame is not None:
        file = frame.f_code.co_filename
        if frame.f_code is ASKED_BY_NAME:
            return False
        if not file.startswith(("<frozen importlib", FINDERS)):
            return not file.startswith("<") and not is_user_file(file)
        frame = frame.f_back
    return False


def _is_installed_in(entry: object) -> bool:
    return isinstance(entry, str) and (entry.startswith(STANDARD) or os.path.basename(entry) in PACKAGES)
