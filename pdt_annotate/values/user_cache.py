"""The user's own cache directory: where it is, and whether somebody else can have put anything there.

Imports next to nothing: an unchanged target is answered from there before a command line is even parsed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys

try:
    from _blake2 import blake2b
except ImportError:  # where `hashlib` has it from elsewhere; it is `_blake2`'s, but also loads OpenSSL
    from hashlib import blake2b

NAME = "pdt-annotate"
OTHERS = 0o077  # what others may do with a file or directory, as bits of a mode

PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
LARGEST = 1 << 26  # bytes of a file that is read


def find_user_cache(*, make: bool = False) -> str:
    """The tool's directory in the user's cache directory, or where that cannot be, one among the temporary files.

    Args:
        make: make it, if it is missing.

    Returns:
        "" if it is not there, or others may write it.
    """
    is_there = make_private if make else is_private
    own = _user_directory()
    if own and is_there(own):
        return own
    import tempfile  # noqa: PLC0415 - an answer from the cache does without

    user = os.getuid() if hasattr(os, "getuid") else ""
    other = os.path.join(tempfile.gettempdir(), f"{NAME}-{user}")
    return other if is_there(other) else ""


def _user_directory() -> str:
    """On Linux two variables say where it is: to import platformdirs takes longer than an answer from the cache may."""
    if sys.platform == "linux":
        given = os.environ.get("XDG_CACHE_HOME", "")
        above = given if os.path.isabs(given) else os.path.join(os.environ.get("HOME", ""), ".cache")
        place = os.path.join(above, NAME)
    else:
        from platformdirs import user_cache_dir  # noqa: PLC0415

        place = user_cache_dir(NAME, appauthor=False)
    return place if os.path.isabs(place) else ""


def digest(content: bytes | None) -> str:
    """A name for content, which no other content has; "" for none."""
    return "" if content is None else blake2b(content, digest_size=16).hexdigest()


def is_private(path: str) -> bool:
    """Whether a path is a directory, no link, and nobody but this user may do anything with it."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(status.st_mode) and _is_own(status)


def make_private(directory: str) -> bool:
    """Make a directory, and the one above it, where they are missing; whether it is private."""
    for place in (os.path.dirname(directory), directory):
        try:
            os.mkdir(place, 0o700)
        except OSError:  # it is there, or cannot be made
            continue
    return is_private(directory)


def read_private(path: str) -> bytes:
    """The content of a file that nobody but this user can have written.

    Raises:
        OSError: it is another one, too long, or cannot be read.
    """
    with open(path, "rb", opener=open_plainly) as stream:
        status = os.fstat(stream.fileno())
        if not (stat.S_ISREG(status.st_mode) and _is_own(status)):
            raise PermissionError(errno.EPERM, "others may write it", path)
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return content


def write_private(path: str, content: bytes) -> None:
    """Give a private file new content, safely on disk: whoever reads it meets the old content or the new, whole.

    Raises:
        OSError: it cannot be written.
    """
    part = f"{path}.{os.getpid()}"
    with open(part, "wb", opener=open_plainly) as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(part, path)
    sync_directory(os.path.dirname(path))


def sync_directory(directory: str) -> None:
    """Make the names in a directory durable, where the system has that."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def open_plainly(path: str, flags: int) -> int:
    """Open a file that may be anything; one that is made is private. No link is followed, and no pipe waited for."""
    return os.open(path, flags | PLAIN, 0o600)


def _is_own(status: os.stat_result) -> bool:
    return os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & OTHERS)
