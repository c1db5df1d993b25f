"""The journal's file: made by one writer at a time, which holds a lock on it as long as it lives."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys

if sys.platform == "win32":
    import msvcrt
else:
    try:
        import fcntl
    except ImportError:  # a system without processes
        fcntl = None  # type: ignore[assignment]

FLAGS = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
MODE = 0o600
FAR = 1 << 30
"""A place beyond the end of any journal: a lock on Windows keeps others from reading what it covers."""


class Busy(Exception):
    """A run that still lives writes here."""


class Foreign(Exception):
    """What lies under the journal's name is none that a run of this user left here."""


def create(path: str) -> int:
    """Make a journal's file; it is open and locked.

    Raises:
        Busy: somebody else was quicker.
        OSError: it cannot be made.
    """
    try:
        handle = os.open(path, FLAGS | os.O_CREAT | os.O_EXCL, MODE)
    except FileExistsError:
        raise Busy from None
    try:
        _take(handle, path)
    except Busy:  # who finds it before it is locked takes it for one that was left, and removes it
        os.close(handle)
        raise
    except OSError:
        remove(handle, path)
        raise
    return handle


def open_left(path: str) -> int:
    """Open a journal's file that lies there; it is locked.

    Raises:
        Busy: its writer lives.
        Foreign: it is a link, no file, or somebody else's.
        FileNotFoundError: it is gone.
        OSError: it cannot be opened.
    """
    try:
        handle = os.open(path, FLAGS)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise Foreign(path) from error
    try:
        _assert_own(os.fstat(handle), path)
        _take(handle, path)
    except BaseException:
        os.close(handle)
        raise
    return handle


def remove(handle: int, path: str) -> None:
    """Remove the file and let go of it.

    Raises:
        OSError: it cannot be removed; it is let go of.
    """
    if sys.platform == "win32":  # where what is open cannot be removed
        os.close(handle)
        os.unlink(path)
        return
    try:
        _unlink(path)
    finally:
        with contextlib.suppress(OSError):
            os.close(handle)


def _unlink(path: str) -> None:
    with contextlib.suppress(OSError):  # a disk that fails once
        os.unlink(path)
        return
    os.unlink(path)


def _assert_own(status: os.stat_result, path: str) -> None:
    mine = sys.platform == "win32" or status.st_uid == os.geteuid()
    if not (mine and stat.S_ISREG(status.st_mode) and status.st_nlink == 1):
        raise Foreign(path)


def _take(handle: int, path: str) -> None:
    """Lock the file, which must still be that of the path then."""
    try:
        if sys.platform == "win32":
            os.lseek(handle, FAR, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
            os.lseek(handle, 0, os.SEEK_SET)
        elif fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES):
            raise Busy from None
        # A file system without locks: nobody holds one.
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        raise Busy from None
    if not os.path.samestat(there, os.fstat(handle)):
        raise Busy
