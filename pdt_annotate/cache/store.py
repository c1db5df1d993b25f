"""The caches of all projects in the user's own cache directory: documents, which may be missing, broken or unwritable.

    $XDG_CACHE_HOME/pdt-annotate/DIGEST/GROUP/NAME.txt

The digest is that of the project's root. Nothing of this lies in the project, so that nobody who sends a branch can
send an answer with it; and what here is a link, another user's, or open to others is neither read nor written.

A document is lists of texts by key. In its file the first line has the digest of the rest, so that half a file, or one
of another program, is none; each further line is a key and a text. JSON would do, but to import it takes longer than to
answer.
"""

from __future__ import annotations

import os
import stat
import sys

try:
    from _blake2 import blake2b
except ImportError:  # where `hashlib` has it from elsewhere; it is `_blake2`'s, but also loads OpenSSL
    from hashlib import blake2b

TYPE_CHECKING = False  # `typing` itself takes longer to import than an answer
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Document = Mapping[str, Sequence[str]]

DIRECTORY = "pdt-annotate"
FORMER = ".pdt_annotate_cache"
"""Where older versions had it, in the project. It is neither read nor removed: who knows who put it there."""

FORMAT = b"pdt-annotate cache 2"
SUFFIX, PARTIAL = ".txt", ".tmp"
ROOT = "root"
"""Beside the groups: the project's root, to tell whether it is still there. It is as old as the last document."""

FIELDS = "\0"
"""Between the parts of a text, as no path has it."""

KEPT = 256
"""Documents of a group. The oldest go first."""

PROJECTS = 64
"""Projects that are kept; those that are gone go first, then the oldest."""

LARGEST = 1 << 26
"""Bytes of a document that is read."""

TAG = "CACHEDIR.TAG"
TAGGED = b"Signature: 8a477f597d28d172789f06886806bc55\n# A cache of pdt-annotate; see https://bford.info/cachedir/\n"

OTHERS = 0o077
"""What others may do with a file or directory, as bits of a mode."""


def digest(value: object) -> str:
    """A name for plain data, equal for equal values: text, numbers, and lists of them."""
    return digest_bytes(repr(value).encode(errors="surrogateescape"))


def digest_bytes(content: bytes) -> str:
    return blake2b(content, digest_size=16).hexdigest()


def find_root(start: str) -> str:
    """The nearest directory, from `start` upwards, of which there is a cache; "" if there is none."""
    while not _is_private(directory_of(start), stat.S_ISDIR):
        start, below = os.path.dirname(start), start
        if start == below:
            return ""
    return start


def directory_of(root: str) -> str:
    """Where the cache of a root is, or would be; "" where the user has no place for it, or none outside the root."""
    place, real = _user_directory(), os.path.realpath(root)
    if not place or f"{os.path.realpath(place)}{os.sep}".startswith(os.path.join(real, "")):
        return ""
    return os.path.join(place, DIRECTORY, digest_bytes(os.fsencode(real)))


def _user_directory() -> str:
    """The user's directory for what can be made again, as the platform has it; "" for a user without a home."""
    if os.name == "nt":
        place = os.environ.get("LOCALAPPDATA", "")
    else:
        home = os.environ.get("HOME", "")
        own = os.path.join(home, *(("Library", "Caches") if sys.platform == "darwin" else (".cache",)))
        given = os.environ.get("XDG_CACHE_HOME", "")
        place = given if os.path.isabs(given) else own
    return place if os.path.isabs(place) else ""


def read(root: str, group: str, name: str) -> Document:
    """A document; empty where there is none that can be read."""
    directory = _open_group(root, group)
    try:
        content = _read_own(os.path.join(directory, f"{name}{SUFFIX}")) if directory else b""
        head, _, body = content.partition(b"\n")
        return _parse(body) if head == _head(body) else {}
    except (OSError, ValueError):
        return {}


def names(root: str, group: str, prefix: str = "") -> Iterator[str]:
    """The names in a group that begin with the prefix, the newest first."""
    directory = _open_group(root, group)
    for _, name in sorted(_list(directory, SUFFIX), reverse=True) if directory else ():
        if name.startswith(prefix):
            yield name.removesuffix(SUFFIX)


def write(root: str, group: str, name: str, document: Document) -> None:
    """Keep a document. A reader meets the old one or the new one, whole. A user without a place for it has no cache."""
    try:
        directory = _make_group(root, group)
        if directory:
            body = _spell(document)
            _write_own(os.path.join(directory, f"{name}{SUFFIX}"), _head(body) + b"\n" + body)
            os.utime(os.path.join(os.path.dirname(directory), ROOT))
            _drop_oldest(root, group, directory)
    except (OSError, ValueError):
        return


def clean(root: str) -> str:
    """Remove the cache of a root; its directory, or "" where there was none.

    Raises:
        OSError: it cannot be removed, or it is a link or another user's.
    """
    directory = directory_of(root)
    if not directory or not os.path.lexists(directory):
        return ""
    if not all(_is_private(place, stat.S_ISDIR) for place in (os.path.dirname(directory), directory)):
        raise PermissionError(0, "it is a link, or others may write it", directory)
    _remove_tree(directory)
    return directory


def _is_private(path: str, is_kind: Callable[[int], bool]) -> bool:
    """Whether a path is of that kind, is no link, and nobody but this user may do anything with it."""
    try:
        return _is_own(os.lstat(path), is_kind)
    except (OSError, ValueError):
        return False


def _is_own(status: os.stat_result, is_kind: Callable[[int], bool]) -> bool:
    if not is_kind(status.st_mode):
        return False
    return os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & OTHERS)


def _open_group(root: str, group: str) -> str:
    """The directory of a group; "" where it may not be believed, or is not there."""
    project = directory_of(root)
    directory = os.path.join(project, group)
    places = (os.path.dirname(project), project, directory)
    return directory if project and all(_is_private(place, stat.S_ISDIR) for place in places) else ""


def _make_group(root: str, group: str) -> str:
    """The same, made where it is missing; "" where something else is there.

    Raises:
        OSError: it cannot be made.
    """
    project = directory_of(root)
    if not project:
        return ""
    everything = os.path.dirname(project)
    is_new = False
    for place in (os.path.dirname(everything), everything, project, os.path.join(project, group)):
        if not os.path.lexists(place):
            os.mkdir(place, 0o700)
            is_new = place == project or is_new
    directory = _open_group(root, group)
    if directory and is_new:
        _write_own(os.path.join(everything, TAG), TAGGED)
        _write_own(os.path.join(project, ROOT), os.fsencode(os.path.realpath(root)))
        _drop_projects(everything)
    return directory


def _read_own(path: str) -> bytes:
    """The content of a file of the user's alone.

    Raises:
        OSError: it is something else, or cannot be read.
        ValueError: it is too long.
    """
    with open(os.open(path, os.O_RDONLY | NO_LINKS), "rb") as stream:
        if not _is_own(os.fstat(stream.fileno()), stat.S_ISREG):
            raise PermissionError(path)
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(path)
    return content


NO_LINKS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def _write_own(path: str, content: bytes) -> None:
    """Write a file of the user's alone, whole or not at all. A link in its place is replaced, not followed.

    Raises:
        OSError: it cannot be written.
    """
    beside = f"{path}.{os.getpid()}.{os.urandom(4).hex()}{PARTIAL}"
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINKS, 0o600), "wb") as stream:
            stream.write(content)
        os.replace(beside, path)
    finally:
        _remove(beside)


def _head(body: bytes) -> bytes:
    return FORMAT + b" " + digest_bytes(body).encode()


def _spell(document: Document) -> bytes:
    lines = (f"{key} {text}" for key, texts in document.items() for text in texts)
    escaped = (line.replace("\\", "\\\\").replace("\n", "\\n") for line in lines)
    return "".join(f"{line}\n" for line in escaped).encode("utf-8", "surrogateescape")


def _parse(body: bytes) -> Document:
    """
    Raises:
        ValueError: it is no text.
    """
    document: dict[str, list[str]] = {}
    for line in body.decode("utf-8", "surrogateescape").split("\n")[:-1]:
        key, _, text = line.partition(" ")
        document.setdefault(key, []).append("\\".join(part.replace("\\n", "\n") for part in text.split("\\\\")))
    return document


def _list(directory: str, suffix: str) -> list[tuple[int, str]]:
    """When each file with that ending was written, and its name."""
    try:
        with os.scandir(directory) as entries:
            found = [entry for entry in entries if entry.name.endswith(suffix)]
            return [(entry.stat(follow_symlinks=False).st_mtime_ns, entry.name) for entry in found]
    except OSError:
        return []


def _drop_oldest(root: str, group: str, directory: str) -> None:
    for name in list(names(root, group))[KEPT:]:
        _remove(os.path.join(directory, f"{name}{SUFFIX}"))
    for _, name in _list(directory, PARTIAL):
        if not _is_running(name.removesuffix(PARTIAL).split(".")[-2:][0]):
            _remove(os.path.join(directory, name))


def _is_running(process: str) -> bool:
    """Whether a process is there, by its number as text; where signals ask no questions, all are."""
    try:
        if os.name != "nt":
            os.kill(int(process), 0)
    except PermissionError:
        return True
    except (OSError, ValueError, OverflowError):
        return False
    return True


def _drop_projects(everything: str) -> None:
    """Remove the caches of projects that are gone, and the oldest of too many."""
    with os.scandir(everything) as entries:
        places = [entry.path for entry in entries if _is_private(entry.path, stat.S_ISDIR)]
    there = [place for place in places if not _is_gone(place)]
    oldest = sorted(there, key=_last_kept)[:-PROJECTS]
    for place in {*places}.difference(there).union(oldest):
        _remove_tree(place)


def _is_gone(place: str) -> bool:
    """Whether the root of a project is no directory any more; one that is just being made has no root yet."""
    try:
        return not os.path.isdir(_read_own(os.path.join(place, ROOT)))
    except (OSError, ValueError):
        return False


def _last_kept(place: str) -> int:
    try:
        return os.lstat(os.path.join(place, ROOT)).st_mtime_ns
    except OSError:
        return 0


def _remove_tree(directory: str) -> None:
    import shutil  # noqa: PLC0415 - an answer needs none of it

    shutil.rmtree(directory)  # follows no link


def _remove(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
