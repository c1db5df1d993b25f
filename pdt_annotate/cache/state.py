"""What the files, names and directories that a run depended on held, as a document, and whether they still do.

    file    the digest of its content, and its path
    name    a directory, the modules looked for in it, and the entries that could be them
    listed  the digest of the names in it, and the directory's path

A file that is not there has the digest "", a directory in its place "/". The names are what finds a new module that
would be imported in the place of another, and a package that is gone.
"""

from __future__ import annotations

import os
import stat

from pdt_annotate.cache import store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FILE, NAME, LISTED = "file", "name", "listed"

IMPORTABLE = (".py", ".pyc", ".so", ".pyd")
PASSING = ("__pycache__",)
"""What comes and goes in a directory without anybody's doing."""

ABSENT = ""
DIRECTORY = "/"

FIELDS = store.FIELDS
ITEMS = "/"
"""What no name in a directory can have in it."""

PARTS = {FILE: 2, LISTED: 2, NAME: 3}
"""By key, how many parts each text of a state has."""


def read(root: str, group: str, name: str) -> store.Document:
    """A document of the cache, with or without a state; empty where its texts are not what a state has."""
    document = store.read(root, group, name)
    return document if is_well_formed(document) else {}


def is_well_formed(document: store.Document) -> bool:
    """Whether the texts have their parts, and all that may be a path is one that a system call takes."""
    has_parts = all(text.count(FIELDS) == count - 1 for key, count in PARTS.items() for text in document.get(key, ()))
    return has_parts and all(map(_may_be_asked_for, (text for texts in document.values() for text in texts)))


def _may_be_asked_for(text: str) -> bool:
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return True


def take(
    files: Iterable[str],
    names: Iterable[tuple[str, str]] = (),
    listed: Iterable[str] = (),
    contents: Mapping[str, bytes] | None = None,
) -> dict[str, list[str]]:
    """The present state.

    Args:
        files: absolute paths; those that do not exist count, too.
        names: directories, each with the name of a module that was looked for in it.
        listed: directories whose entries were read.
        contents: by file, what it is to be taken for, whatever stands on disk.
    """
    known = {file: store.digest_bytes(content) for file, content in (contents or {}).items()}
    asked: dict[str, list[str]] = {}
    for directory, name in sorted(names):
        asked.setdefault(directory, []).append(name)
    return {
        FILE: [FIELDS.join((known.get(file) or digest_file(file), file)) for file in sorted(files)],
        NAME: [
            FIELDS.join((directory, ITEMS.join(wanted), ITEMS.join(_find(directory, wanted))))
            for directory, wanted in asked.items()
        ],
        LISTED: [FIELDS.join((_digest_listing(directory), directory)) for directory in sorted(listed)],
    }


def is_current(state: store.Document) -> bool:
    """Whether all is as it was when the state was taken. A document without a state never is."""
    files = state.get(FILE, ())
    return bool(files) and finds_the_same(state) and all(digest_file(path) == digest for digest, path in _split(files))


def finds_the_same(state: store.Document) -> bool:
    """Whether modules are found in the same places, and directories list the same names."""
    places = _split(state.get(NAME, ()))
    listed = _split(state.get(LISTED, ()))
    return all(_find(place, asked.split(ITEMS)) == _items(there) for place, asked, there in places) and all(
        _digest_listing(place) == digest for digest, place in listed
    )


def files_in(state: store.Document) -> Iterator[str]:
    """The files that a state was taken of."""
    return (path for _, path in _split(state.get(FILE, ())))


def names_in(state: store.Document) -> Iterator[tuple[str, str]]:
    """The names that a state was taken of, each with its directory."""
    return ((place, name) for place, asked, _ in _split(state.get(NAME, ())) for name in asked.split(ITEMS))


def listed_in(state: store.Document) -> Iterator[str]:
    """The directories whose entries a state was taken of."""
    return (path for _, path in _split(state.get(LISTED, ())))


def digest_file(file: str) -> str:
    try:
        if not stat.S_ISREG(os.stat(file).st_mode):  # a pipe would be waited for, a device read for ever
            return DIRECTORY if os.path.isdir(file) else ABSENT
        with open(file, "rb") as stream:
            return store.digest_bytes(stream.read())
    except OSError:
        return ABSENT


def _split(lines: Iterable[str]) -> Iterator[list[str]]:
    return (line.split(FIELDS) for line in lines)


def _items(text: str) -> list[str]:
    return text.split(ITEMS) if text else []


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
        return store.digest(sorted(name for name in os.listdir(directory) if name not in PASSING))
    except OSError:
        return ABSENT
