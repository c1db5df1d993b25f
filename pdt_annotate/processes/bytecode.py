"""The bytecode of the user's modules, made ahead: a process of its own compiles them while another imports torch.

It follows the imports that the code of a file names, runs nothing of it, and leaves beside the files what Python itself
leaves there when they are imported. Where bytecode is there already, or none is to be written, it has nothing to do.
"""

from __future__ import annotations

import contextlib
import dis
import importlib.util
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType
from typing import Any

from pdt_annotate.interpreters.interpreter import Interpreter
from pdt_annotate.values.installed import is_own

PROGRAM = "from pdt_annotate.processes.bytecode import main; main()"


@contextlib.contextmanager
def compiling_ahead(
    files: Sequence[str], modules: Sequence[str], root: str, path: Sequence[str], interpreter: Interpreter
) -> Iterator[None]:
    """Compile what files and modules import from under the root, as long as the block takes at most.

    Args:
        files: where to begin, by file.
        modules: where to begin, by dotted name.
        root: what lies elsewhere is left alone.
        path: folders in which modules are looked for, before Python's own.
        interpreter: the Python that imports them.
    """
    if sys.dont_write_bytecode:
        yield
        return
    words = [root, os.pathsep.join(path), *files, "--", *modules]
    nothing = subprocess.DEVNULL
    command = interpreter.command(PROGRAM, *words, flags=("-W", "ignore"))
    with subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing) as process:
        try:
            yield
        finally:
            process.terminate()


def main() -> None:
    root, path, *begin = sys.argv[1:]
    end, told = begin.index("--"), threading.Event()
    # Between two files: to end while one is written would leave half of it.
    signal.signal(signal.SIGTERM, lambda *_: told.set())
    follow(begin[:end], begin[end + 1 :], root, [*path.split(os.pathsep), *sys.path], told.is_set)


def follow(
    files: Sequence[str], modules: Sequence[str], root: str, path: Sequence[str], is_enough: Callable[[], bool]
) -> set[str]:
    """Compile files and modules and what they import from under the root; the dotted names that were found there."""
    finder = _Finder(os.path.join(os.path.realpath(root), ""), path)
    pending = list(modules)
    for file in files:
        pending += _imports(_code("__main__", file, is_kept=finder.is_own(file)), "")
    seen: set[str] = set()
    while pending and not is_enough():
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            spec = finder.find(name)
            if spec is not None and spec.origin and finder.is_own(spec.origin):
                pending += _imports(_code(name, spec.origin), name if spec.submodule_search_locations else spec.parent)
                pending += [spec.parent] if spec.parent else []
    return {name for name in seen if finder.find(name) is not None}


class _Finder:
    """Specs of modules under the root; those that lie elsewhere are not looked for further."""

    def __init__(self, root: str, path: Sequence[str]) -> None:
        self._root = root
        self._path = path
        self._specs: dict[str, ModuleSpec | None] = {}

    def is_own(self, file: str) -> bool:
        return is_own(os.path.realpath(file), self._root)

    def find(self, name: str) -> ModuleSpec | None:
        if name not in self._specs:
            self._specs[name] = self._find(name)
        return self._specs[name]

    def _find(self, name: str) -> ModuleSpec | None:
        package = name.rpartition(".")[0]
        parent = self.find(package) if package else None
        if package and (parent is None or parent.submodule_search_locations is None):
            return None
        places = parent.submodule_search_locations if parent else self._path
        with contextlib.suppress(Exception):  # a name that no module can have
            spec = PathFinder.find_spec(name, places)
            is_own = spec is not None and spec.origin and spec.origin.endswith(".py") and self.is_own(spec.origin)
            return spec if is_own else None
        return None


def _code(name: str, file: str, *, is_kept: bool = True) -> CodeType | None:
    """The code of a file, from its bytecode or else compiled, and then, if it is kept, its bytecode is written."""
    loader = SourceFileLoader(name, file)
    with contextlib.suppress(Exception):  # whoever imports it will say what is wrong
        return loader.get_code(name) if is_kept else loader.source_to_code(loader.get_data(file), file)
    return None


def _imports(code: CodeType | None, package: str | None) -> Iterator[str]:
    """The modules that the code of a module may import when it runs, not what functions import in it."""
    before: list[Any] = [None, None]
    for instruction in dis.get_instructions(code) if code else ():
        if instruction.opname == "IMPORT_NAME":
            level, names = before
            with contextlib.suppress(ImportError, TypeError):  # more dots than packages
                module = importlib.util.resolve_name("." * (level or 0) + instruction.argval, package or None)
                yield module
                yield from (f"{module}.{each}" for each in names or ())
        before = [before[1], instruction.argval]
