"""The recorder's view of its program: its order, modules, edited files, imports and calls of modules.

A program is `__main__` to itself: with `-m` its import name is known; otherwise `profiles.record` derives one. The
functions of an edited file no longer match its source.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import FrameType, ModuleType
from typing import Any

from pdt_annotate.overlays.serving import find_behind
from pdt_annotate.profiles.record import MAIN
from pdt_annotate.source.uses import wanted_locals
from pdt_annotate.values.live import file_of
from pdt_annotate.values.slots import Observation, Owner

PREFIX = "PDT_ANNOTATE_RUN_"
IMPORT = "_find_and_load_unlocked"  # importlib's function for an import; other callers only ask whether a module exists
HOOKS = "_global_forward_pre_hooks"
RINGS_EVERY = 13  # the bell rings on every 13th call of a module: a prime, so that it reaches all modules of a model


@dataclass(frozen=True)
class Order:
    """Instructions for the recorder."""

    root: str  # functions in files below it are observed (absolute)
    parts: str  # the directory in which every process writes its part (absolute)
    session: str  # a random word, with which the names of the parts of one program begin
    label: str  # the name of the program

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> Order:
        """The order in an environment; raises KeyError if it has none."""
        return cls(**{field.name: environment[PREFIX + field.name.upper()] for field in fields(cls)})

    def variables(self) -> dict[str, str]:
        return {PREFIX + field.name.upper(): getattr(self, field.name) for field in fields(self)}


def modules(is_wanted: Callable[[str], bool], main: str) -> dict[str, str]:
    """The currently imported modules from wanted files: dotted name → file; `main` is the main program's file."""
    found = {MAIN: main, **{name: file for name in list(sys.modules) if (file := file_of(name))}}
    return {name: file for name, file in found.items() if file.endswith(".py") and is_wanted(file)}


class SourceVersions:
    """The versions of files when the first of their functions was called."""

    def __init__(self) -> None:
        self._versions: dict[str, tuple[int, int] | None] = {}

    def wanted_locals(self, owner: Owner) -> Iterator[tuple[str, int]]:
        """The locals to read in a function that is called for the first time."""
        if owner.file not in self._versions:
            self._versions[owner.file] = version_of(owner.file)
        return wanted_locals(owner)

    def unchanged(self, observations: Iterable[Observation]) -> Iterator[Observation]:
        """The observations of functions whose files have not changed."""
        same = {file for file, version in self._versions.items() if version == version_of(file)}
        return (o for o in observations if o.slot.owner.file in same)


def version_of(file: str) -> tuple[int, int] | None:
    """The modification time in nanoseconds and the size of a file; None if it is gone."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size)


@dataclass(frozen=True, eq=False)
class ImportWatch:
    """A finder that lets others find a module, and lets it run unobserved: torch alone makes half a million calls."""

    is_wanted_file: Callable[[str], bool]
    is_watched: Callable[[str], bool]
    unwatched: Callable[[], AbstractContextManager[None]]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec from the finders after this one; None if the import is of no interest."""
        if not self.is_watched(name) or sys._getframe(2).f_code.co_name != IMPORT:
            return None
        spec = find_behind(self, name, path, target)
        if spec and hasattr(spec.loader, "exec_module") and not self.is_wanted_file(spec.origin or ""):
            spec.loader = UnwatchedLoader(spec.loader, self.unwatched)
        return spec


@dataclass(frozen=True, eq=False)
class UnwatchedLoader(Loader):
    """A loader that puts the real one back before the module runs."""

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


def hang_bell(ring: Callable[[FrameType], None]) -> bool:
    """Have `ring` called with frames of `Module._call_impl`; False if torch is missing, or not as we know it.

    On every call of a module torch checks whether its table of global forward pre-hooks is empty. Our table answers the
    same and rings. A registered hook is the official way, but it sends every call through torch's slow path, which
    costs several times as much, and `torch.compile` warns of it.
    """
    modules = sys.modules.get("torch.nn.modules.module")
    table = getattr(modules, HOOKS, None)
    is_compiling: Any = getattr(sys.modules.get("torch.compiler"), "is_compiling", None)
    # The handle of a registered hook would look for it in the old table, so a table with hooks must not be replaced.
    if type(table) is not OrderedDict or table or is_compiling is None:
        return False
    tick = itertools.count(1).__next__

    class WakeCheck(OrderedDict[int, Any]):  # `torch.compile` reads closures more easily than attributes
        def __bool__(self) -> bool:
            if not is_compiling() and not tick() % RINGS_EVERY:
                ring(sys._getframe(1))
            return len(self) > 0

    setattr(modules, HOOKS, WakeCheck())
    return True
