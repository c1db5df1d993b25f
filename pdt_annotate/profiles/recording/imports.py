"""Not to watch while a package outside the project is imported: torch alone makes half a million calls then."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from pdt_annotate.overlays.serving import find_behind

IMPORT = "_find_and_load_unlocked"
"""The function of importlib that imports; others ask the finders only what there is."""


@dataclass(frozen=True, eq=False)
class ImportWatch:
    """A finder that lets others find, and the module then run without an observer.

    Args:
        is_wanted_file: the files whose import is watched.
        is_watched: whether this thread is observed, now that it is to import the module of this name.
        unwatched: what to run a module in.
    """

    is_wanted_file: Callable[[str], bool]
    is_watched: Callable[[str], bool]
    unwatched: Callable[[], AbstractContextManager[None]]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec that the finders after this one give; None where it does not matter to us."""
        if not self.is_watched(name) or sys._getframe(2).f_code.co_name != IMPORT:
            return None
        spec = find_behind(self, name, path, target)
        if spec is None or not hasattr(spec.loader, "exec_module") or self.is_wanted_file(spec.origin or ""):
            return spec
        spec.loader = UnwatchedLoader(spec.loader, self.unwatched)
        return spec


@dataclass(frozen=True, eq=False)
class UnwatchedLoader(Loader):
    """A loader in whose place the real one stands again before the module runs."""

    loader: Any
    unwatched: Callable[[], AbstractContextManager[None]]

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        spec.loader = self.loader
        module: ModuleType | None = self.loader.create_module(spec)
        spec.loader = self
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        module.__loader__ = self.loader
        with self.unwatched():
            self.loader.exec_module(module)
