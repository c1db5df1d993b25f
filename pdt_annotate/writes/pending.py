"""A write in its folder: the new content of each file, the old content of overwritten files, and finally the list."""

import contextlib
import errno
import json
import os
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import BinaryIO

from pdt_annotate.values.paths import lies_in
from pdt_annotate.values.user_cache import digest, open_plainly, read_private, sync_directory, write_private

if sys.platform == "win32":
    import msvcrt
else:
    try:
        import fcntl
    except ImportError:  # a system without locks
        fcntl = None  # type: ignore[assignment]

PATIENCE, PAUSE = 10.0, 0.02  # seconds to wait for another run that writes in the same place, and between two attempts


class Busy(Exception):
    """Another run is writing."""


@dataclass(frozen=True)
class PlannedFile:
    """One file of a write, by its real path, with the digests of its old and new content; "" for a missing file."""

    file: str
    # The file that will replace it; "" if it is overwritten in place, because a replacement would have another owner,
    # or lack hard links.
    beside: str
    was: str
    becomes: str


@dataclass(frozen=True)
class PendingWrite:
    """A write whose lock is held; `written` files have their new content, `edited` ones were changed by others."""

    folder: str
    entries: Sequence[PlannedFile] = ()
    written: list[str] = field(default_factory=list)
    edited: list[str] = field(default_factory=list)

    def commit(self, contents: Sequence[tuple[bytes, bytes]]) -> None:
        """Store the old and the new contents and then, unless a file was edited meanwhile, the list: the commit.

        After an `OSError` it may still be committed.
        """
        os.mkdir(self.folder, 0o700)
        for number, (before, after) in enumerate(contents):
            write_private(self.path(f"{number}.new"), after)
            if not self.entries[number].beside:
                write_private(self.path(f"{number}.old"), before)
        sync_directory(os.path.dirname(self.folder))
        self.edited.extend(self.find_changed())
        if not self.edited:
            write_private(self.path("list"), json.dumps([asdict(each) for each in self.entries]).encode())

    def find_changed(self, *, overwritten: bool = False) -> list[str]:
        """Return the files without their old content; if `overwritten`, only files that are overwritten in place."""
        changed = (each for each in self.entries if digest(read(each.file)) != each.was)
        return [each.file for each in changed if not (overwritten and each.beside)]

    def finish(self) -> None:
        """Write each file's new content, unless it was changed meanwhile, and remove the stored write.

        After an `OSError`, which names the file, the stored write is left for the next command.
        """
        for step in (self._prepare, self._put):
            for number, entry in enumerate(self.entries):
                try:
                    step(number, entry)
                except OSError as error:
                    raise OSError(error.errno, error.strerror, entry.file) from error
        for directory in {os.path.dirname(entry.file) for entry in self.entries}:
            sync_directory(directory)
        with contextlib.suppress(OSError):  # all files are written; the next command tries again to clear
            self.clear()

    def clear(self) -> None:
        """Remove the stored write and its replacement files. After an `OSError`, the next command finishes it."""
        for path in (*(each.beside for each in self.entries if each.beside), self.path("list")):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _prepare(self, number: int, entry: PlannedFile) -> None:
        """Make the replacement of a file, next to it. An interrupted run may have left one."""
        if entry.beside and digest(read(entry.file)) == entry.was:
            os.makedirs(os.path.dirname(entry.file), exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(entry.beside)
            with open(entry.beside, "xb", opener=open_plainly if entry.was else None) as stream:
                if entry.was:
                    shutil.copystat(entry.file, entry.beside)
                _fill(stream, Path(self.path(f"{number}.new")).read_bytes())

    def _put(self, number: int, entry: PlannedFile) -> None:
        """Compare a file with its old content, and immediately write its new content."""
        names = () if entry.beside else (f"{number}.old", f"{number}.new")
        stored = [Path(self.path(name)).read_bytes() for name in names]
        now = read(entry.file)
        if entry.beside and digest(now) == entry.was:
            os.replace(entry.beside, entry.file)
        elif not entry.beside and now is not None and _is_half(now, *stored):
            with open(entry.file, "r+b", opener=open_plainly) as stream:
                _fill(stream, stored[1])
        elif digest(now) != entry.becomes:
            self.edited.append(entry.file)
            return
        self.written.append(entry.file)

    def path(self, name: str) -> str:
        return os.path.join(self.folder, name)


@contextlib.contextmanager
def recovered(root: str, folder: str) -> Iterator[PendingWrite]:
    """Hold the lock of a folder; an interrupted write in it is first finished or, without a list, removed.

    Raises `Busy` if another run holds the lock for too long, an `OSError` if the write cannot be finished now.
    """
    above, name = os.path.split(folder)
    with open(os.path.join(above, f"{name[0]}.lock"), "ab") as stream:  # never removed: sixteen serve all folders
        deadline = time.monotonic() + PATIENCE
        while not _lock(stream.fileno()):
            if time.monotonic() > deadline:
                raise Busy
            time.sleep(PAUSE)
        left = PendingWrite(folder)
        if os.path.exists(left.path("list")):
            left = PendingWrite(folder, _read_list(left.path("list"), root))
            left.finish()
        elif os.path.exists(folder):
            shutil.rmtree(folder)
        yield left


def _lock(handle: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        elif fcntl:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:  # any other error number means a file system without locks
        return error.errno not in (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
    return True


def _read_list(path: str, root: str) -> list[PlannedFile]:
    with contextlib.suppress(ValueError, TypeError):
        entries = [PlannedFile(**each) for each in json.loads(read_private(path))]
        if all(
            lies_in(os.path.dirname(place), root) for each in entries for place in (each.file, each.beside) if place
        ):
            return entries
    raise OSError(errno.EINVAL, "another user's run wrote this", path)


def read(path: str) -> bytes | None:
    """Return the content of a file; None if it does not exist."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError), open(path, "rb", opener=open_plainly) as stream:
        return stream.read()
    return None


def _fill(stream: BinaryIO, content: bytes) -> None:
    stream.write(content)
    stream.flush()
    if os.fstat(stream.fileno()).st_size > len(content):  # it would add null bytes to what an editor saved meanwhile
        stream.truncate()
    os.fsync(stream.fileno())


def _is_half(now: bytes, before: bytes, after: bytes) -> bool:
    """Return whether a file has the old content, perhaps with its beginning overwritten by the new content."""
    pairs = enumerate(zip(now, after, strict=False))
    begun = next((index for index, (one, other) in pairs if one != other), min(len(now), len(after)))
    return now[begun:] == before[begun:]
