"""The steps of a write, for each file: made beside it, put in its place, taken back, cleared away.

Every step but the first looks at what is there, by content, so that it may be repeated after any of them was ended.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from enum import Enum, auto

from pdt_annotate.writes.journal import PlannedFile
from pdt_annotate.writes.swap import (
    CHANGED,
    OPEN,
    PLAIN,
    CannotSwap,
    digest,
    digest_of,
    find_reason,
    is_there,
    lease,
    read,
    release,
    swap_if,
)

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
OVER = PLAIN | os.O_RDWR
GONE = "was removed or moved meanwhile"
THERE = "was made by somebody else meanwhile"


class Edited(Exception):
    """Somebody changed a file since it was read.

    Args:
        file: which.
        reason: what became of it, as the end of "the file …".
    """

    def __init__(self, file: str, reason: str = CHANGED) -> None:
        super().__init__(file, reason)
        self.file = file
        self.reason = reason


class CannotKeep(Exception):
    """A file beside another cannot be given its owner."""


class Taken(Enum):
    """What taking back came to."""

    UNTOUCHED = auto()
    """There was nothing to take back."""
    RESTORED = auto()
    EDITED = auto()
    """The file was changed by somebody else since, and stays."""


def stage(entry: PlannedFile, content: bytes, before: bytes) -> None:
    """Make what lies beside a file, safely on disk.

    Raises:
        CannotKeep: it cannot have the file's owner.
        OSError: it cannot be made.
    """
    if entry.through:
        _make(entry.old, before)
        _make(entry.new, content)
    else:
        _make(entry.new, content, like=entry.file if entry.was else "", private=bool(entry.was))


def put(entry: PlannedFile, content: bytes) -> None:
    """Give a file its new content.

    Raises:
        Edited: it does not hold what it held.
        OSError: it failed.
    """
    if entry.through:
        _overwrite(entry.file, content, entry.was)
    elif not entry.was:
        _create(entry)
    else:
        _replace(entry)


def assert_put(entry: PlannedFile) -> None:
    """
    Raises:
        Edited: somebody wrote into a file while another took its place.
    """
    displaced = entry.old if is_there(entry.old) else entry.new
    if entry.was and not entry.through and digest_of(displaced) != entry.was:
        raise Edited(entry.file)


def take_back(entry: PlannedFile) -> Taken:
    """Give a file the content back that it had, however far the write had come.

    Raises:
        OSError: it failed.
    """
    if entry.through:
        return _write_back(entry)
    if not entry.was:
        return _uncreate(entry)
    return _swap_back(entry)


def clear(entry: PlannedFile, *, whole: bool) -> str:
    """Remove what lies beside a file.

    Args:
        entry: the file.
        whole: all that was made is whole, so that other content is what somebody saved.

    Returns:
        where such content is kept; "" for none.

    Raises:
        OSError: it cannot be removed.
    """
    # While the new content is there as well, the old one is a copy that may be half, or a second name of the file.
    kept = _drop(entry.old, entry, whole and not is_there(entry.new))
    return kept or _drop(entry.new, entry, whole)


def _make(path: str, content: bytes, like: str = "", *, private: bool = True) -> None:
    handle = os.open(path, NEW, 0o600 if private else 0o666)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
        stream.flush()
        if like:
            _copy_status(like, path)
        os.fsync(stream.fileno())


def _copy_status(file: str, path: str) -> None:
    """Give a file beside another the owner, permissions and extended attributes of that."""
    status, own = os.stat(file), os.stat(path)
    if (status.st_uid, status.st_gid) != (own.st_uid, own.st_gid):
        try:
            os.chown(path, status.st_uid, status.st_gid)
        except PermissionError as error:
            raise CannotKeep from error
    shutil.copystat(file, path)
    # copystat brings the old modification time along, and tools such as make would miss the change.
    os.utime(path)


def _replace(entry: PlannedFile) -> None:
    try:
        reason = swap_if(entry.new, entry.file, entry.was)
    except CannotSwap:
        _replace_by_name(entry)
        return
    except FileNotFoundError:
        reason = GONE
    if reason:
        raise Edited(entry.file, reason)


def _replace_by_name(entry: PlannedFile) -> None:
    """The same where two files cannot change places: what is displaced has a second name, or a copy."""
    before = read(entry.file)
    if before is None or digest(before) != entry.was:
        raise Edited(entry.file, GONE if before is None else CHANGED)
    try:
        os.link(entry.file, entry.old)
    except FileNotFoundError:
        raise Edited(entry.file, GONE) from None
    except OSError:
        _make(entry.old, before, like=entry.file)
    os.replace(entry.new, entry.file)
    if reason := find_reason(entry.old, entry.was):
        os.replace(entry.old, entry.file)
        raise Edited(entry.file, reason)


def _create(entry: PlannedFile) -> None:
    try:
        os.link(entry.new, entry.file)
    except FileExistsError:
        raise Edited(entry.file, THERE) from None
    except OSError:  # a file system without links
        if is_there(entry.file):
            raise Edited(entry.file, THERE) from None
        os.rename(entry.new, entry.file)


def _overwrite(file: str, content: bytes, wanted: str, *, alone: bool = True) -> None:
    """Write a file where it lies, if it holds what is wanted: it keeps its names and its owner.

    Raises:
        Edited: it holds something else; or else, somebody has it open, and we are to be `alone`.
        OSError: it failed; the file may hold a part of the content.
    """
    try:
        handle = os.open(file, OVER)
    except FileNotFoundError:
        raise Edited(file, GONE) from None
    try:
        if not lease(handle, writing=True) and alone:
            raise Edited(file, OPEN)
        if digest(os.read(handle, os.fstat(handle).st_size + 1)) != wanted:
            raise Edited(file)
        os.lseek(handle, 0, os.SEEK_SET)
        rest = memoryview(content)
        while rest:
            rest = rest[os.write(handle, rest) :]
        os.ftruncate(handle, len(content))
        os.fsync(handle)
        release(handle)
    finally:
        os.close(handle)


def _swap_back(entry: PlannedFile) -> Taken:
    by_name = is_there(entry.old)
    displaced = entry.old if by_name else entry.new
    if digest_of(entry.new) == entry.becomes or not is_there(displaced):
        return Taken.UNTOUCHED
    if digest_of(entry.file) != entry.becomes:
        return Taken.EDITED
    try:
        if by_name:
            raise CannotSwap
        return Taken.EDITED if swap_if(displaced, entry.file, entry.becomes) else Taken.RESTORED
    except CannotSwap:
        os.replace(displaced, entry.file)
        return Taken.RESTORED


def _uncreate(entry: PlannedFile) -> Taken:
    if digest_of(entry.file) != entry.becomes:
        return Taken.UNTOUCHED
    if is_there(entry.new) and not _is_same(entry.new, entry.file):
        return Taken.UNTOUCHED
    os.unlink(entry.file)
    return Taken.RESTORED


def _write_back(entry: PlannedFile) -> Taken:
    now, before, after = read(entry.file), read(entry.old), read(entry.new)
    if before is None or digest(before) != entry.was or after is None or digest(after) != entry.becomes:
        return Taken.UNTOUCHED  # it was not begun
    if now is None or not _is_between(now, before, after):
        return Taken.EDITED
    if now == before:
        return Taken.UNTOUCHED
    try:
        _overwrite(entry.file, before, digest(now), alone=False)
    except Edited:
        return Taken.EDITED
    return Taken.RESTORED


def _is_between(now: bytes, before: bytes, after: bytes) -> bool:
    """Whether this is one content, or its beginning over another."""
    if now == after:
        return True
    pairs = enumerate(zip(now, after, strict=False))
    begun = next((index for index, (one, other) in pairs if one != other), min(len(now), len(after)))
    return now[begun:] == before[begun:]


def _is_same(one: str, other: str) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.lstat(one), os.lstat(other))
    return False


def _drop(path: str, entry: PlannedFile, whole: bool) -> str:
    if (
        whole
        and is_there(path)
        and digest_of(path) not in (entry.was, entry.becomes)
        and not _is_same(path, entry.file)
    ):
        kept = _free_name(f"{entry.file}.saved")
        os.rename(path, kept)
        return kept
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    return ""


def _free_name(wanted: str) -> str:
    name, number = wanted, 1
    while is_there(name):
        name, number = f"{wanted}.{number}", number + 1
    return name
