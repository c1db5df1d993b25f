"""What a journal says: which files are to be written, what lies beside them, and how far the write has come.

    {"entries": [...], "made": [...]}    what is to be done, in one line of JSON
    0a1b…                                its seal
    staged                               all that is new lies safely beside the files; from here on, they are replaced
    done                                 all files are replaced

A line counts once it has its end. Without a seal nothing has been made beside any file yet.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import hmac
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field

from pdt_annotate.writes import lock
from pdt_annotate.writes.lock import Foreign

STAGED, DONE = b"staged", b"done"
BESIDE = ".pdt-annotate-"
"""How the names begin of all that lies beside files."""
MACHINE = "/etc/machine-id"
MOST = 64 * 1024 * 1024
KEY_SIZE = 64
UNSYNCED = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EBADF)
"""How a file system says that it has no such step for directories."""


@dataclass(frozen=True)
class PlannedFile:
    """One file of a write.

    Args:
        file: its real path.
        new: beside it, the new content; the old one, once they have changed places.
        old: beside it, the old content where they cannot change places.
        was: the digest of the old content; "" where there is no such file yet.
        becomes: that of the new one.
        through: the file is overwritten where it lies, since another in its place would be another's, or lack names.
    """

    file: str
    new: str
    old: str
    was: str
    becomes: str
    through: bool = False


@dataclass(frozen=True)
class WritePlan:
    """A write: its files, and the directories that are made for them, the outer ones first."""

    entries: tuple[PlannedFile, ...]
    made: tuple[str, ...] = ()


@dataclass
class Journal:
    """A journal that is open, and whose lock is held."""

    path: str
    handle: int
    plan: WritePlan
    marks: list[bytes] = field(default_factory=list)

    @property
    def is_staged(self) -> bool:
        return STAGED in self.marks

    @property
    def is_done(self) -> bool:
        return DONE in self.marks

    def mark(self, word: bytes) -> None:
        """Say how far the write has come; it is on disk then.

        Raises:
            OSError: it cannot be said, and is not.
        """
        end = os.lseek(self.handle, 0, os.SEEK_END)
        try:
            _append(self.handle, word + b"\n")
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self.handle, end)
            raise
        self.marks.append(word)

    def remove(self) -> None:
        """
        Raises:
            OSError: it cannot be removed.
        """
        lock.remove(self.handle, self.path)


def begin(path: str, plan: WritePlan) -> Journal:
    """Write a journal. It is on disk, with its name, before anything that it speaks of is.

    Raises:
        Busy: somebody else writes here.
        OSError: it cannot be written; there is none.
    """
    handle = lock.create(path)
    try:
        body = json.dumps(asdict(plan)).encode()
        _append(handle, body + b"\n" + seal(body, handle) + b"\n")
        sync_directory(os.path.dirname(path))
    except BaseException:
        with contextlib.suppress(OSError):
            lock.remove(handle, path)
        raise
    return Journal(path, handle, plan)


def find(path: str) -> Journal:
    """The journal that a run has left.

    Raises:
        Busy: the run still lives.
        Foreign: it is none that a run of this user left here.
        FileNotFoundError: it is gone.
        OSError: it cannot be read.
    """
    handle = lock.open_left(path)
    try:
        return _read(path, handle)
    except BaseException:
        os.close(handle)
        raise


def seal(body: bytes, handle: int) -> bytes:
    """What nobody can write who did not write this file on this machine.

    A journal in a repository, an archive or a container's layer is another file than the one that it was sealed in.
    """
    status = os.fstat(handle)
    bound = f"{status.st_ino} {status.st_uid} ".encode()
    return hashlib.blake2b(bound + body, key=_machine(), digest_size=32).hexdigest().encode()


def sync_directory(directory: str) -> None:
    """Make names durable. Not every system lets a directory be opened or synced.

    Raises:
        OSError: the disk is at fault.
    """
    try:
        handle = os.open(directory, os.O_RDONLY)
    except PermissionError:
        return
    try:
        _sync(handle)
    finally:
        os.close(handle)


def _sync(handle: int) -> None:
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in UNSYNCED:
            raise


def _machine() -> bytes:
    try:
        with open(MACHINE, "rb") as stream:
            return stream.read(KEY_SIZE)
    except OSError:
        return b""


def _append(handle: int, line: bytes) -> None:
    while line:
        line = line[os.write(handle, line) :]
    os.fsync(handle)


def _read(path: str, handle: int) -> Journal:
    with open(handle, "rb", closefd=False) as stream:
        content = stream.read(MOST)
    body, *rest = content.split(b"\n")
    if len(rest) <= 1:  # the seal has no end: the run was ended before it made anything
        return Journal(path, handle, WritePlan(()))
    if not hmac.compare_digest(rest[0], seal(body, handle)):
        raise Foreign(path)
    return Journal(path, handle, _parse(body, path), rest[1:-1])


def _parse(body: bytes, path: str) -> WritePlan:
    try:
        document = json.loads(body)
        plan = WritePlan(tuple(PlannedFile(**each) for each in document["entries"]), tuple(document["made"]))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Foreign(path) from error
    places = [*plan.made, *(each.file for each in plan.entries)]
    if not all(_is_below(os.path.dirname(path), each) for each in places) or not all(map(_is_named, plan.entries)):
        raise Foreign(path)
    return plan


def _is_below(directory: str, path: str) -> bool:
    """Whether a path leads, by no link, to a place below a directory."""
    above = os.path.dirname(path)
    return os.path.realpath(above) == above and os.path.commonpath([directory, path]) == directory


def _is_named(entry: PlannedFile) -> bool:
    beside: Sequence[str] = (entry.new, entry.old)
    above = os.path.dirname(entry.file)
    return all(os.path.dirname(each) == above and os.path.basename(each).startswith(BESIDE) for each in beside)
