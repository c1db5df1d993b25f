"""What a result depends on, and whether it is as it was: files, names and directories, and beyond them surroundings.

A state has, by path, the digest of each file ("" for one that is not there, "/" for a directory); directories, each
with the modules that were looked for in it and the entries that could be them; and by path, the digest of the names in
directories that were listed. The modules are what finds a new one that would be imported in the place of another.

The surroundings are versions, installed packages, the environment, the working directory.
"""

from __future__ import annotations

import os
import stat
import sys

from pdt_annotate.cache.store import digest_value
from pdt_annotate.values.installed import PACKAGES, is_installed
from pdt_annotate.values.user_cache import digest
from pdt_annotate.values.version import __version__

TYPE_CHECKING = False  # `typing` itself takes a tenth of an answer to import
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    State = Mapping[str, Any]

IMPORTABLE = (".py", ".pyc", ".so", ".pyd")
PASSING = ("__pycache__",)
"""What comes and goes in a directory without anybody's doing."""

ABSENT, DIRECTORY = "", "/"

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
METADATA = (".dist-info", ".egg-info", ".egg-link", ".pth")
"""The names of these carry a distribution's name and version, so that no metadata has to be read."""

VARIABLES = ("PYTHONPATH", "PYTHONHOME", "PYTHONOPTIMIZE", "PYTHONSAFEPATH", "PDT_ANNOTATE_OVERLAY")
PREFIXES = ("PYTORCH_", "TORCH_")


def take(
    files: Iterable[str],
    names: Iterable[tuple[str, str]] = (),
    listed: Iterable[str] = (),
    contents: Mapping[str, bytes] | None = None,
) -> State:
    """The present state.

    Args:
        files: absolute paths; those that do not exist count, too.
        names: directories, each with the name of a module that was looked for in it.
        listed: directories whose entries were read.
        contents: by file, what it is to be taken for, whatever it holds.
    """
    known = {file: digest(content) for file, content in (contents or {}).items()}
    asked: dict[str, list[str]] = {}
    for directory, name in sorted(names):
        asked.setdefault(directory, []).append(name)
    return {
        "files": {file: known.get(file) or digest_file(file) for file in sorted(files)},
        "names": [[directory, wanted, _find(directory, wanted)] for directory, wanted in asked.items()],
        "listed": {directory: _digest_listing(directory) for directory in sorted(listed)},
    }


def is_current(state: State) -> bool:
    """Whether all is as it was when the state was taken."""
    files = state["files"]
    return bool(files) and finds_the_same(state) and all(digest_file(path) == files[path] for path in files)


def finds_the_same(state: State) -> bool:
    """Whether modules are found in the same places, and directories list the same names."""
    found = all(_find(directory, wanted) == there for directory, wanted, there in state["names"])
    return found and all(_digest_listing(path) == known for path, known in state["listed"].items())


def digest_file(path: str) -> str:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would be waited for, a device read for ever
            return DIRECTORY if os.path.isdir(path) else ABSENT
        with open(path, "rb") as stream:
            return digest(stream.read())
    except OSError:
        return ABSENT


def describe() -> str:
    """A digest: equal where the same sources, inputs and options give the same result, in our own Python."""
    tool = [__version__, [] if is_installed(PACKAGE) else sorted(_own_files(PACKAGE))]
    python = [sys.version, sys.platform, sys.prefix]
    deciding = sorted(name for name in os.environ if name in VARIABLES or name.startswith(PREFIXES))
    environment = [[name, os.environ[name]] for name in deciding]
    return digest_value([tool, python, _installed_on(sys.path), environment, os.getcwd()])


def describe_other(executable: str, prefix: str, path: Sequence[str]) -> str:
    """The same for another Python, of what decides there. It is not started for that.

    Args:
        executable: its file.
        prefix: the directory of its environment.
        path: where it looks for modules, as it once said.
    """
    try:
        status = os.stat(executable)
    except OSError:
        return ""
    interpreter = [os.path.realpath(executable), status.st_size, status.st_mtime_ns]
    return digest_value([interpreter, digest_file(os.path.join(prefix, "pyvenv.cfg")), _installed_on(path)])


def _find(directory: str, wanted: Iterable[str]) -> list[str]:
    """The entries of a directory that an import of one of the names could load."""
    names = frozenset(wanted)
    try:
        with os.scandir(directory) as entries:
            return sorted(
                entry.name
                for entry in entries
                if entry.name.partition(".")[0] in names and (entry.name.endswith(IMPORTABLE) or os.path.isdir(entry))
            )
    except OSError:
        return []


def _digest_listing(directory: str) -> str:
    try:
        return digest_value(sorted(name for name in os.listdir(directory) if name not in PASSING))
    except OSError:
        return ABSENT


def _installed_on(path: Sequence[str]) -> list[list[str]]:
    """The directories of an import path that installers fill, each with the names of what is installed there."""
    places = [place for place in path if os.path.basename(place) in PACKAGES and os.path.isdir(place)]
    return [[place, *sorted(name for name in os.listdir(place) if name.endswith(METADATA))] for place in places]


def _own_files(folder: str) -> Iterator[tuple[str, int, int]]:
    """The sources of the tool. Where it is not installed but worked on, one version has many states."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
            elif "." not in entry.name and entry.name not in PASSING:
                yield from _own_files(entry.path)
