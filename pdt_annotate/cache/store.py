"""The caches of all projects, one JSON file for each, in the user's own cache directory; and the states of results.

No part of it is in the project, so a branch from another person cannot bring an answer with it. Links, and files that
belong to another user or are open to others, are not read.

A state has, by path, the digest of each file ("" for a missing one, "/" for a directory); the modules that were looked
up in directories, with the entries that could be these modules; and, by path, the digest of the names in listed
directories.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys

from pdt_annotate.values import user_cache
from pdt_annotate.values.installed import PACKAGES, is_installed
from pdt_annotate.values.paths import lies_in, upwards
from pdt_annotate.values.version import __version__

TYPE_CHECKING = False  # importing `typing` would take a tenth of the time of an answer
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Document = dict[str, Any]
    State = Mapping[str, Any]

ENTRIES, COMMANDS = "entries", "commands"
FOLDER = "projects"
BROKEN = (OSError, ValueError, TypeError, LookupError, AttributeError)
KEPT = 128  # the most documents of a group; the newest are kept
PROJECTS = 64  # the most projects; the most recent are kept
TAG = "CACHEDIR.TAG"
TAGGED = b"Signature: 8a477f597d28d172789f06886806bc55\n# A cache of pdt-annotate; see https://bford.info/cachedir/\n"

IMPORTABLE = (".py", ".pyc", ".so", ".pyd")
PASSING = ("__pycache__",)  # entries that come and go in a directory without any change by a person
ABSENT, DIRECTORY = "", "/"
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# File names with these suffixes have a distribution's name and version, so no metadata needs to be read.
METADATA = (".dist-info", ".egg-info", ".egg-link", ".pth")
VARIABLES = ("PYTHONPATH", "PYTHONHOME", "PYTHONOPTIMIZE", "PYTHONSAFEPATH", "PDT_ANNOTATE_OVERLAY")
PREFIXES = ("PYTORCH_", "TORCH_")


def digest_value(value: object) -> str:
    """Return a digest of plain data (text, numbers, and lists of these), equal for equal values."""
    return user_cache.digest(repr(value).encode(errors="surrogateescape"))


def find_root(start: str) -> str:
    """Return the nearest directory, from `start` upwards, that has a cache, or ""."""
    folder = os.path.join(user_cache.find_user_cache(), FOLDER)
    places = upwards(os.path.realpath(start)) if os.path.isdir(folder) else ()
    return next((place for place in places if os.path.lexists(os.path.join(folder, _name(place)))), "")


def file_of(root: str, *, make: bool = False) -> str:
    """Return the file for the cache of a root; "" if it would be inside the root, or others may write it."""
    place, real = user_cache.find_user_cache(make=make), os.path.realpath(root)
    folder = os.path.join(place, FOLDER)
    if not place or lies_in(place, real):
        return ""
    is_there = user_cache.make_private(folder) if make else user_cache.is_private(folder)
    return os.path.join(folder, _name(real)) if is_there else ""


def _name(root: str) -> str:
    return f"{user_cache.digest(os.fsencode(root))}.json"


def read(root: str) -> dict[str, dict[str, Document]]:
    """Return all documents by group and name, the oldest first; none if the file cannot be read."""
    with contextlib.suppress(OSError, ValueError, RecursionError):
        groups = json.loads(user_cache.read_private(file_of(root)))
        if isinstance(groups, dict) and all(isinstance(groups.get(each), dict) for each in (ENTRIES, COMMANDS)):
            return groups
    return {ENTRIES: {}, COMMANDS: {}}


def keep(root: str, group: str, name: str, document: Document) -> None:
    """Keep a document. Of two runs at once, one may lose its document. Without a safe directory nothing is kept."""
    file = file_of(root, make=True)
    if not file:
        return
    groups, is_new = read(root), not os.path.exists(file)
    others = {known: each for known, each in groups[group].items() if known != name}
    groups[group] = dict([*others.items(), (name, document)][-KEPT:])
    with contextlib.suppress(OSError, ValueError):
        user_cache.write_private(file, json.dumps(groups).encode())
        if is_new:
            user_cache.write_private(os.path.join(user_cache.find_user_cache(), TAG), TAGGED)
            with os.scandir(os.path.dirname(file)) as entries:
                files = sorted(entries, key=lambda entry: entry.stat(follow_symlinks=False).st_mtime_ns)
            for oldest in files[:-PROJECTS]:
                os.unlink(oldest)


def clean(root: str) -> str:
    """Remove the cache of a root; return its file, or "" if there was none."""
    file = file_of(root)
    if not (file and os.path.lexists(file)):
        return ""
    os.unlink(file)
    return file


def take_state(
    files: Iterable[str],
    names: Iterable[tuple[str, str]] = (),
    listed: Iterable[str] = (),
    contents: Mapping[str, bytes] | None = None,
) -> State:
    """Return the present state.

    `files` are absolute paths, also of missing files; `names` are directories, each with the name of a module that was
    looked up in it; `listed` are directories whose entries were read. `contents` replaces the content of files.
    """
    known = {file: user_cache.digest(content) for file, content in (contents or {}).items()}
    asked: dict[str, list[str]] = {}
    for directory, name in sorted(names):
        asked.setdefault(directory, []).append(name)
    return {
        "files": {file: known.get(file) or digest_file(file) for file in sorted(files)},
        "names": [[directory, wanted, _find(directory, wanted)] for directory, wanted in asked.items()],
        "listed": {directory: _digest_listing(directory) for directory in sorted(listed)},
    }


def is_current(state: State) -> bool:
    files = state["files"]
    return bool(files) and finds_the_same(state) and all(digest_file(path) == files[path] for path in files)


def finds_the_same(state: State) -> bool:
    """Return whether modules are found in the same places, and directories list the same names."""
    found = all(_find(directory, wanted) == there for directory, wanted, there in state["names"])
    return found and all(_digest_listing(path) == known for path, known in state["listed"].items())


def digest_file(path: str) -> str:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # reading a pipe would block, and reading a device never end
            return DIRECTORY if os.path.isdir(path) else ABSENT
        with open(path, "rb") as stream:
            return user_cache.digest(stream.read())
    except OSError:
        return ABSENT


def describe_surroundings() -> str:
    """Return a digest, equal if our own Python gets the same result for the same sources, inputs and options."""
    sources: list[tuple[str, int, int]] = []
    if not is_installed(PACKAGE):  # during its development one version has many states
        paths = (os.path.join(folder, name) for folder, _, names in os.walk(PACKAGE) for name in names)
        found = ((path, os.stat(path)) for path in paths if path.endswith(".py"))
        sources = sorted((path, status.st_size, status.st_mtime_ns) for path, status in found)
    python = [sys.version, sys.platform, sys.prefix]
    deciding = sorted(name for name in os.environ if name in VARIABLES or name.startswith(PREFIXES))
    environment = [[name, os.environ[name]] for name in deciding]
    return digest_value([[__version__, sources], python, _installed_on(sys.path), environment, os.getcwd()])


def describe_other(executable: str, prefix: str, path: Sequence[str]) -> str:
    """Return the same for another Python, without starting it; `path` is its `sys.path`."""
    try:
        status = os.stat(executable)
    except OSError:
        return ""
    interpreter = [os.path.realpath(executable), status.st_size, status.st_mtime_ns]
    return digest_value([interpreter, digest_file(os.path.join(prefix, "pyvenv.cfg")), _installed_on(path)])


def _find(directory: str, wanted: Iterable[str]) -> list[str]:
    """Return the entries of a directory that an import of one of the names could load."""
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
    """Return the directories of an import path that installers fill, each with the names of installed packages."""
    places = [place for place in path if os.path.basename(place) in PACKAGES and os.path.isdir(place)]
    return [[place, *sorted(name for name in os.listdir(place) if name.endswith(METADATA))] for place in places]
