"""Serve a kept overlay: annotated copies of third-party modules instead of the installed files.

It runs in the user's program, so it imports only the standard library. A `.pth` file makes every process of the
environment serve the overlay that a variable names, even processes that do not need it. So nothing is read before a
package is imported, and no file is checked before its own import.
"""

from __future__ import annotations

import functools
import itertools
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from types import ModuleType

from pdt_annotate.overlays import manifest
from pdt_annotate.overlays.manifest import ManifestEntry
from pdt_annotate.overlays.serving import OverlayLoader, find_behind, serve_lines
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.paths import is_of_others, lies_in, read_bounded

VARIABLE = "PDT_ANNOTATE_OVERLAY"  # directories, separated as in PATH; the first takes precedence
LARGEST = 64 << 20  # the most bytes of a source
PROOF_OF_USE = "torch"  # a program that never imports it needs no overlay, and gets no error without one

AGAIN = "run `pdt-annotate TARGET -i FILE --overlay {}` again"

_disregarded = False


def overlay(directory: str | os.PathLike[str]) -> AbstractContextManager[object]:
    """Serve the annotated copies that `--overlay` keeps in a directory to import, to `inspect` and to the compiler.

    Call it before any of the packages is imported. Nothing on disk changes, and a second call changes nothing. A `with`
    statement serves the copies during its block; modules that were imported there do not change back.

    Raises:
        UserError: there is no overlay in the directory; one of its modules is imported already; an installed file is
            not the annotated one; or a copy is not the written one. Importing a module whose file changes later also
            raises the last two.
    """
    served = ExitStack()
    if _disregarded:
        return served
    finder = KeptFinder(os.path.abspath(directory))
    _refuse_imported(finder)
    for entry in finder.entries.values():
        spec = _find(entry.module)
        if spec is not None and spec.origin:
            finder.check(entry, spec.origin)
    if _install(finder):
        served.callback(withdraw, finder)
    return served


def start() -> None:
    """Serve the overlays that the environment names, if it names any.

    Raises UserError if one of their modules is imported already; or if torch is, and there is no overlay.
    """
    directories = [part for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
    for directory in reversed(directories):
        finder = KeptFinder(os.path.normpath(directory), is_from_environment=True)
        if PROOF_OF_USE in sys.modules:
            _refuse_imported(finder)
        _install(finder)


def withdraw(finder: KeptFinder | None = None) -> None:
    """Stop serving one overlay, by default all, until `start` or `overlay` is called again."""
    left = (each for each in sys.meta_path if not isinstance(each, KeptFinder) or finder not in (each, None))
    sys.meta_path[:] = left


def disregard() -> None:
    """Serve nothing in this process from now on, for any caller: packages must be read as installed."""
    global _disregarded
    _disregarded = True
    withdraw()


@dataclass(eq=False)
class KeptFinder:
    """A `sys.meta_path` finder that lets later finders find a module, and serves the copy from a directory."""

    directory: str
    # The environment names it, for all programs; so it must not depend on a program's working directory, nor on files
    # that other users may write.
    is_from_environment: bool = False

    @functools.cached_property
    def entries(self) -> Mapping[str, ManifestEntry]:
        if self.is_from_environment and not os.path.isabs(self.directory):
            message = f"{VARIABLE} names {self.directory!r}, a relative path, which depends on the working directory"
            raise UserError(message, hint=f"use the absolute path: {VARIABLE}={os.path.abspath(self.directory)}")
        entries = manifest.load(self.directory)
        self._assert_trusted(self.directory, os.path.join(self.directory, manifest.MANIFEST))
        return entries

    def _assert_trusted(self, *places: str) -> None:
        others = (place for place in places if self.is_from_environment and is_of_others(place))
        for place in others:
            message = f"{VARIABLE} names an overlay whose {place} belongs to another user, or is writable by everybody"
            raise UserError(message, file=place, hint="write an overlay of your own with --overlay")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] in sys.stdlib_module_names:
            return None  # reading the manifest imports some of these
        try:
            entry = self.entries.get(fullname)
        except UserError:
            if fullname == PROOF_OF_USE:
                raise
            return None
        spec = find_behind(self, fullname, path, target) if entry else None
        if entry and spec and spec.origin:
            spec.loader = OverlayLoader(fullname, spec.origin, functools.partial(self.read, entry, spec.origin))
        return spec

    def read(self, entry: ManifestEntry, file: str) -> bytes:
        """The checked copy for a file. From now on readers of source see the copy, too."""
        source = self.check(entry, file)
        serve_lines({file: source})
        return source

    def check(self, entry: ManifestEntry, file: str) -> bytes:
        """The copy for a file; raises `UserError` if the file or the copy has changed since it was written."""
        if manifest.digest(_read(file)) != entry.original:
            raise UserError(_describe_change(entry, self.directory), file=file)
        copy = os.path.join(self.directory, entry.path)
        if not lies_in(copy, self.directory):
            raise UserError(f"a symbolic link leads out of the overlay {self.directory}: {copy}", file=copy)
        source = _read(copy)
        self._assert_trusted(copy)
        if manifest.digest(source) != entry.annotated:
            again = AGAIN.format(self.directory)
            raise UserError(f"{copy} is not the copy that was written into the overlay; {again}", file=copy)
        return source


def _install(finder: KeptFinder) -> bool:
    """Serve an overlay. Returns False if it was served already."""
    served = [other.directory for other in sys.meta_path if isinstance(other, KeptFinder)]
    if finder.directory not in served:
        sys.meta_path.insert(0, finder)
    return finder.directory not in served


def _refuse_imported(finder: KeptFinder) -> None:
    imported = (sys.modules.get(name) for name in finder.entries)
    late = [m.__name__ for m in imported if m and not isinstance(getattr(m, "__loader__", None), OverlayLoader)]
    if late:
        message = f"{late[0]} is already imported, so the overlay {finder.directory} cannot replace it"
        raise UserError(message, hint=f"call pdt_annotate.overlay() first, or set {VARIABLE}")


def _find(module: str) -> ModuleSpec | None:
    """The spec of a module, found without importing its packages."""
    spec: ModuleSpec | None = None
    path: Sequence[str] | None = None
    for name in itertools.accumulate(module.split("."), "{}.{}".format):
        found = (finder.find_spec(name, path, None) for finder in sys.meta_path if hasattr(finder, "find_spec"))
        spec = next((each for each in found if each is not None), None)
        if spec is None:
            return None
        path = spec.submodule_search_locations
    return spec


def _read(file: str) -> bytes:
    try:
        return read_bounded(file, LARGEST)
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}", file=file) from error


def _describe_change(entry: ManifestEntry, directory: str) -> str:
    """The package, its version then and now, and a command, all in the message: a program may show nothing else."""
    from importlib import metadata  # noqa: PLC0415  (slow to import, and only errors need it)

    try:
        now = metadata.version(entry.distribution) if entry.distribution else ""
    except metadata.PackageNotFoundError:
        now = "without a version"
    made, again = f"the overlay {directory} was made for {entry.package}", AGAIN.format(directory)
    if now != entry.version:
        return f"{made}, but {entry.distribution} {now} is installed, with another {entry.path}; {again}"
    return f"{made}, and {entry.path} has changed since; {again}"
