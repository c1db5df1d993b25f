"""The dependencies of a run: the files that it reads, the modules that it looks up, the directories that it lists.

The cache answers only while none of them has changed.

It watches the child from before the user's first import: with Python's audit events for files and directories, and with
a finder that never finds a module. It does not see reads by other programs and C code, nor the environment.
"""

import contextlib
import functools
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, TypeGuard

from pdt_annotate.values.installed import is_installed
from pdt_annotate.values.libraries import LIBRARIES
from pdt_annotate.values.live import is_a, state_of
from pdt_annotate.values.paths import real_path
from pdt_annotate.values.runs import NOTHING_READ, Closure
from pdt_annotate.values.user_code import PACKAGE

IMPORT_SYSTEM = "<frozen importlib._bootstrap_external>"
SYSTEM = tuple(os.path.join(os.sep, name, "") for name in ("dev", "proc", "sys"))
OURS = os.path.join(os.path.realpath(PACKAGE), "")


@dataclass
class Watch:
    """Records files and names from its installation on. It finds no module."""

    cwd: str = ""  # at its installation; "" if it is not installed
    modules: frozenset[str] = frozenset()  # the modules that were imported before
    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    listed: set[str] = field(default_factory=set)
    names: set[tuple[str, str]] = field(default_factory=set)
    _absolute: dict[str, str] = field(default_factory=dict)  # every import looks in the same places

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> None:
        name = fullname.rpartition(".")[2]
        places = sys.path if path is None else path
        self.names.update((self.absolute(place), name) for place in places if _is_path(place))

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, mode, flags = args
            if isinstance(path, (str, bytes)):
                # `open` passes a mode, `os.open` only flags.
                writes = set(mode or "") & set("wax+") or flags & (os.O_WRONLY | os.O_RDWR)
                (self.written if writes else self.read).add(self.absolute(os.fsdecode(path)))
        elif event in ("os.listdir", "os.scandir"):
            path = "." if args[0] is None else args[0]
            # The import system lists directories to look up names in them, which are in `names`.
            if isinstance(path, (str, bytes)) and sys._getframe(1).f_code.co_filename != IMPORT_SYSTEM:
                self.listed.add(self.absolute(os.fsdecode(path)))

    def absolute(self, path: str) -> str:
        if path not in self._absolute:
            self._absolute[path] = os.path.normpath(os.path.join(self.cwd, path))
        return self._absolute[path]


watched = Watch()


def watch() -> None:
    """Watch this process, and its forks, until it ends: an audit hook cannot be taken back."""
    if not watched.cwd:
        watched.cwd, watched.modules = os.getcwd(), frozenset(sys.modules)
        sys.addaudithook(watched.hear)
        sys.meta_path.insert(0, watched)


def describe(root: str) -> Closure:
    """The files read, modules looked up and directories listed in this process since `watch`.

    Python's library, installed packages and our own are left out, because their versions say enough. Files that the
    run wrote are left out as results.
    """
    if not watched.cwd:
        return NOTHING_READ
    root = os.path.join(os.path.realpath(root), "")
    root_is_library = root.startswith(LIBRARIES)

    @functools.cache
    def decides(path: str) -> bool:
        """Whether a path is in no installed package."""
        real = os.path.join(real_path(path), "")
        if real.startswith((*SYSTEM, OURS)) or "__pycache__" in real.split(os.sep) or is_installed(real, root):
            return False
        return (root_is_library and real.startswith(root)) or not real.startswith(LIBRARIES)

    modules = [state_of(module) for module in list(sys.modules.values()) if is_a(module, ModuleType)]
    # A module with cached bytecode is imported without opening its source.
    imported = (file for module in modules if _is_path(file := module.get("__file__")))
    files = watched.read | {watched.absolute(file) for file in imported}
    # Modules that were imported before `watch` might be found elsewhere the next time.
    top = [name for name in list(sys.modules) if isinstance(name, str) and "." not in name]
    further = [(place, name) for place in list(sys.path or ()) if _is_path(place) for name in top]
    # A directory that is a package without `__init__.py` may get one later.
    for module in modules:
        with contextlib.suppress(Exception):  # the user's code may have set it to anything
            further += [(place, "__init__") for place in module.get("__path__", ()) if _is_path(place)]
    names = watched.names | {(watched.absolute(place), name) for place, name in further}
    return Closure(
        files=frozenset(file for file in files - watched.written if decides(file) and not os.path.isdir(file)),
        names=frozenset((place, name) for place, name in names if decides(place)),
        listed=frozenset(place for place in watched.listed if decides(place)),
    )


def _is_path(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and "\0" not in value
