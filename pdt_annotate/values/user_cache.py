"""The user's own cache directory: its path, and whether another user can have put anything there.

Imports next to nothing: an unchanged target is answered from the cache even before the command line is parsed.
"""

import contextlib
import errno
import os
import stat
import sys

try:
    from _blake2 import blake2b
except ImportError:  # `hashlib` then has it from elsewhere; usually it has `_blake2`'s, but also loads OpenSSL
    from hashlib import blake2b

NAME = "pdt-annotate"
OTHERS = 0o077  # the rights of other users in a file's mode

PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
LARGEST = 1 << 26  # the most bytes of a file that is read


def find_user_cache(*, make: bool = False) -> str:
    """The tool's directory in the user's cache directory, or if that is unusable, one among the temporary files.

    If it is missing, `make` makes it. Returns "" if it is missing, or others may write it.
    """
    is_there = make_private if make else is_private
    own = _user_directory()
    if own and is_there(own):
        return own
    import tempfile  # noqa: PLC0415 - a cached answer does not need it

    user = os.getuid() if hasattr(os, "getuid") else ""
    other = os.path.join(tempfile.gettempdir(), f"{NAME}-{user}")
    return other if is_there(other) else ""


def _user_directory() -> str:
    """Two variables name it on Linux, because importing platformdirs takes longer than a cached answer may."""
    if sys.platform == "linux":
        variable = os.environ.get("XDG_CACHE_HOME", "")
        above = variable if os.path.isabs(variable) else os.path.join(os.environ.get("HOME", ""), ".cache")
        place = os.path.join(above, NAME)
    else:
        from platformdirs import user_cache_dir  # noqa: PLC0415

        place = user_cache_dir(NAME, appauthor=False)
    return place if os.path.isabs(place) else ""


def digest(content: bytes | None) -> str:
    """A unique name for content; "" for None."""
    return "" if content is None else blake2b(content, digest_size=16).hexdigest()


def is_private(path: str) -> bool:
    """Whether a path is a directory, not a link, and only this user has any rights to it."""
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISDIR(status.st_mode) and _is_own(status)


def make_private(directory: str) -> bool:
    """Make a directory and its parent if they are missing, and return whether it is private."""
    for place in (os.path.dirname(directory), directory):
        with contextlib.suppress(OSError):  # it exists, or cannot be made
            os.mkdir(place, 0o700)
    return is_private(directory)


def read_private(path: str) -> bytes:
    """The content of a file that only this user can have written.

    Raises OSError if others may write it, it is too long, or it cannot be read.
    """
    with open(path, "rb", opener=open_plainly) as stream:
        status = os.fstat(stream.fileno())
        if not (stat.S_ISREG(status.st_mode) and _is_own(status)):
            raise PermissionError(errno.EPERM, "other users can write it", path)
        content = stream.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)
    return content


def write_private(path: str, content: bytes) -> None:
    """Replace the content of a private file, durably and atomically: readers see all of the old or all of the new.

    Raises OSError if it cannot be written.
    """
    part = f"{path}.{os.getpid()}"
    with open(part, "wb", opener=open_plainly) as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())
    os.replace(part, path)
    sync_directory(os.path.dirname(path))


def sync_directory(directory: str) -> None:
    """Make the names in a directory durable, if the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def open_plainly(path: str, flags: int) -> int:
    """Open a file of any kind without following a link or waiting on a pipe; a new file is private."""
    return os.open(path, flags | PLAIN, 0o600)


def _is_own(status: os.stat_result) -> bool:
    return os.name == "nt" or (status.st_uid == os.getuid() and not status.st_mode & OTHERS)
