"""Serve annotated source instead of files, without touching them.

`install` serves it to the import system and to `linecache`, and so to `inspect.getsource` and the TorchScript compiler.
`serve_lines` only changes the source of imported modules for `inspect`: enough for a quick attempt, if no line moves.
"""

import importlib.util
import io
import itertools
import linecache
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType


class OverlayLoader(SourceFileLoader):
    """Loads a module from the overlay's bytes, under the path of the file that they replace.

    `read` is called when the module is imported, not when it is only found. `imports` are run before the module.
    """

    def __init__(self, fullname: str, path: str, read: Callable[[], bytes], imports: Sequence[str] = ()) -> None:
        super().__init__(fullname, path)
        self._read = read
        self._imports = imports

    def exec_module(self, module: ModuleType) -> None:
        for statement in self._imports:
            exec(statement, vars(module))
        super().exec_module(module)

    def get_data(self, path: str) -> bytes:
        # `pkgutil.get_data` reads other files of a package through the module's loader.
        return self._read() if path == self.path else super().get_data(path)

    def get_code(self, fullname: str) -> CodeType:
        # The base class's method would read, and write, the cached bytecode of the file on disk.
        return self.source_to_code(self._read(), self.path)


@dataclass(eq=False)
class OverlayFinder:
    """A `sys.meta_path` finder that lets later finders find a module, and serves the source for its real path."""

    sources: Mapping[str, bytes]
    imports: Mapping[str, Sequence[str]]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = find_behind(self, fullname, path, target)
        return None if spec is None else self.serve(spec)

    def serve(self, spec: ModuleSpec) -> ModuleSpec:
        """The spec, with the overlay's loader if the overlay has the file."""
        file = os.path.realpath(spec.origin) if spec.origin else ""
        source = self.sources.get(file)
        if source is not None and spec.origin is not None:
            spec.loader = OverlayLoader(spec.name, spec.origin, lambda: source, self.imports.get(file, ()))
        return spec


def find_behind(
    asking: object, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
) -> ModuleSpec | None:
    """The spec of the finders after `asking` on `sys.meta_path`. Asking all would let two overlays ask each other."""
    for finder in itertools.dropwhile(lambda finder: finder is not asking, list(sys.meta_path)):
        if finder is not asking and hasattr(finder, "find_spec"):
            spec = finder.find_spec(fullname, path, target)
            if spec is not None:
                return spec
    return None


def install(sources: Mapping[str, bytes], imports: Mapping[str, Sequence[str]] = {}) -> None:
    """Serve the sources, by absolute file, to every import and to every reader of source in this process.

    `imports` has statements to run before a file, for sources that must keep their lines.
    """
    if sources:
        serve_lines(sources)
        real = {os.path.realpath(file): source for file, source in sources.items()}
        before = {os.path.realpath(file): statements for file, statements in imports.items()}
        sys.meta_path.insert(0, OverlayFinder(real, before))


def serve_lines(sources: Mapping[str, bytes]) -> None:
    """Let `inspect.getsource` read these sources instead of the files."""
    for file, source in sources.items():
        text = importlib.util.decode_source(source)
        # Without a modification time linecache never compares the entry with the file on disk.
        linecache.cache[file] = (len(text), None, list(io.StringIO(text)), file)


def serve_spec(spec: ModuleSpec) -> ModuleSpec:
    """Serve the overlay for a module that is loaded by its file, without `sys.meta_path`."""
    finder = next((each for each in sys.meta_path if isinstance(each, OverlayFinder)), None)
    return finder.serve(spec) if finder else spec
