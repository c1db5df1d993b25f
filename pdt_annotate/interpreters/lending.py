"""Lend our package, and packages that it needs, to another Python that runs the user's code.

This file runs by its path, before our package can be imported, so it imports only the standard library.
"""

import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

PACKAGE = "pdt_annotate"
IMPORTING = ("importlib", "_frozen_importlib")


class Lender:
    """A finder of top-level packages, each in a directory that is not on the import path.

    It comes after all other finders, and lends only to our package and to lent ones: the user's code does not find
    packages that its environment lacks.
    """

    def __init__(self, places: Mapping[str, str]) -> None:
        self.places = places

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self.places:
            return None
        asking = sys._getframe(1)
        while asking.f_back is not None and asking.f_globals.get("__name__", "").startswith(IMPORTING):
            asking = asking.f_back
        is_ours = asking.f_globals.get("__name__", "").partition(".")[0] in (__name__, PACKAGE, *self.places)
        return PathFinder.find_spec(name, [self.places[name]]) if is_ours else None


def lend(place: str, lent: Mapping[str, str]) -> Lender:
    """Import our package from its directory `place`, even if another version is installed, and lend from now on.

    `lent` has the directories of other packages by name; the environment's own packages take precedence. Returns the
    finder that lends, on `sys.meta_path`.
    """
    _import_ours(place)
    lender = Lender(lent)
    sys.meta_path.append(lender)
    return lender


def _import_ours(place: str) -> None:
    spec = PathFinder.find_spec(PACKAGE, [place])
    present = getattr(sys.modules.get(PACKAGE), "__file__", None)
    if spec is None or spec.origin == present:
        return
    if present:  # a `.pth` file has imported another version: remove it, with its finders
        sys.meta_path[:] = [each for each in sys.meta_path if not type(each).__module__.startswith(f"{PACKAGE}.")]
        for name in list(sys.modules):
            if name.partition(".")[0] == PACKAGE:
                del sys.modules[name]
    first = Lender({PACKAGE: place})
    sys.meta_path.insert(0, first)
    try:
        importlib.import_module(PACKAGE)
    finally:
        sys.meta_path.remove(first)
