"""Two files that change places in one step, so that what was displaced can still be looked at, and can come back."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import hashlib
import os
import signal
import stat
import sys
from collections.abc import Callable, Iterator

try:
    import fcntl
except ImportError:  # Windows, or a system without processes
    fcntl = None  # type: ignore[assignment]

LACKING = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM, errno.EXDEV)
"""How a system, or a file system, says that it cannot do it, whatever the files."""

AT_FDCWD = -100
LINUX_EXCHANGE = 2
DARWIN_SWAP = 2

PLAIN = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

BLOCK = 1 << 20

QUIET_SIGNAL = getattr(signal, "SIGURG", 0)
"""What the kernel sends when somebody wants a file on which we have a lease; nobody hears it. SIGIO would kill us."""


CHANGED = "changed on disk meanwhile"
OPEN = "is open for writing in another program"


class CannotSwap(Exception):
    """There is no such step here."""


def digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=32).hexdigest()


def read(path: str) -> bytes | None:
    """The content of a regular file; None where there is none, or something else, a link for one.

    Raises:
        OSError: it cannot be read.
    """
    try:
        handle = os.open(path, PLAIN)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.ENOTDIR, errno.EMLINK):
            return None
        raise
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            return None
        return b"".join(iter(lambda: os.read(handle, BLOCK), b""))
    finally:
        os.close(handle)


def is_there(path: str) -> bool:
    """Whether anything has that name; unlike `os.path.lexists`, not a guess where the disk does not say.

    Raises:
        OSError: it does not.
    """
    with contextlib.suppress(FileNotFoundError):
        os.lstat(path)
        return True
    return False


def digest_of(path: str) -> str:
    """The digest of a regular file; "" where there is none."""
    content = read(path)
    return "" if content is None else digest(content)


def swap_if(own: str, file: str, wanted: str) -> str:
    """Let a file of ours and another change places, if that holds the wanted content and nobody is writing it.

    What is found out afterwards, of the file that was displaced, is certain: nobody opens it by its name any more.
    Where it was otherwise, it is put back, and our file is ours again; so is what somebody saved in the meantime.

    Returns:
        why they did not change places; "" where they did.

    Raises:
        CannotSwap: there is no such step here; nothing was done.
        OSError: it failed; they may have changed places.
    """
    ours = digest_of(own)
    _swap(own, file)
    reason = find_reason(own, wanted)
    if reason:
        _swap(own, file)
        if digest_of(own) != ours:  # it was saved once more, while ours was in its place: the later one stays there
            _swap(own, file)
    return reason


def find_reason(displaced: str, wanted: str) -> str:
    """Why a file that was displaced must come back: it holds something else, or somebody writes it; "" for no reason.

    Raises:
        OSError: it cannot be found out.
    """
    if digest_of(displaced) != wanted:
        return CHANGED
    with _reading_alone(displaced) as alone:
        if not alone:
            return OPEN
        return "" if digest_of(displaced) == wanted else CHANGED


def _swap(one: str, other: str) -> None:
    call = _find_call()
    if call is None:
        raise CannotSwap
    if call(os.fsencode(one), os.fsencode(other)):
        code = ctypes.get_errno()
        if code in LACKING:
            raise CannotSwap
        raise OSError(code, os.strerror(code), other)


@functools.cache
def _find_call() -> Callable[[bytes, bytes], int] | None:
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        rename = getattr(libc, "renameat2", None)
        return rename and (lambda one, other: rename(AT_FDCWD, one, AT_FDCWD, other, LINUX_EXCHANGE))
    if sys.platform == "darwin":
        rename = getattr(ctypes.CDLL(None, use_errno=True), "renamex_np", None)
        return rename and (lambda one, other: rename(one, other, DARWIN_SWAP))
    return None


@contextlib.contextmanager
def _reading_alone(path: str) -> Iterator[bool]:
    """Whether nobody has the file open to write it. While that is found out, whoever wants to waits.

    True as well where the system does not tell.
    """
    if sys.platform != "linux" or fcntl is None:
        yield True
        return
    handle = os.open(path, PLAIN)
    try:
        yield lease(handle, writing=False)
    finally:
        os.close(handle)  # the lease goes with it


def lease(handle: int, *, writing: bool) -> bool:
    """Keep others from opening a file until its handle is closed: to write it, or `writing`, at all. They wait.

    Returns:
        False if somebody has it open already. True as well where the system has no leases.
    """
    if sys.platform == "linux" and fcntl is not None:
        try:
            fcntl.fcntl(handle, fcntl.F_SETSIG, QUIET_SIGNAL)
            fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_WRLCK if writing else fcntl.F_RDLCK)
        except OSError as error:
            return error.errno not in (errno.EAGAIN, errno.EWOULDBLOCK)
    return True


def release(handle: int) -> None:
    """Give a lease back, before the handle is closed."""
    if sys.platform == "linux" and fcntl is not None:
        with contextlib.suppress(OSError):
            fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_UNLCK)
