"""Write several files, all or none: a reader sees the old content or the new, and a failure leaves the old."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.values.errors import UserError

DIFF_HINT = "--diff prints the same change for `git apply` or `patch -p1`"


@dataclass(frozen=True)
class _Staged:
    """A file about to be replaced: the new content and a copy of the old, both beside it; no copy for a new file."""

    file: str
    new: str
    old: str


def write_all(contents: Mapping[str, bytes]) -> None:
    """Write each file's content; symlinks, permissions, owner and extended attributes stay.

    Everything that can fail for want of space or rights is done beside the files before the first one is replaced, and
    what was replaced is put back if a later one fails.

    Raises:
        UserError: a file cannot be written. Every file is then as it was.
    """
    staged: list[_Staged] = []
    try:
        for file, content in contents.items():
            with _as_user_error(file):
                _stage(os.path.realpath(file), content, staged)
        _replace(staged)
    finally:
        for entry in staged:
            _remove(entry.new, entry.old)


def assert_writable(files: Iterable[str]) -> None:
    """Tell ahead what `write_all` would come to, as far as rights and kinds of files say; nothing is touched.

    Raises:
        UserError: a file cannot be written.
    """
    for file in files:
        with _as_user_error(file, hint="name another place"):
            _assert_writable(os.path.realpath(file))


def _assert_writable(file: str) -> None:
    if os.path.isdir(file):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    directory = os.path.dirname(file)
    while not os.path.lexists(directory):
        directory = os.path.dirname(directory)
    if not os.path.isdir(directory):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    if not os.access(directory, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _stage(file: str, content: bytes, staged: list[_Staged]) -> None:
    os.makedirs(os.path.dirname(file), exist_ok=True)
    old = ""
    if os.path.lexists(file):
        with open(file, "rb") as stream:
            old = _beside(file, stream.read())
    try:
        staged.append(_Staged(file, _beside(file, content), old))
    except OSError:
        _remove(old)
        raise


def _replace(staged: list[_Staged]) -> None:
    done: list[_Staged] = []
    try:
        for entry in staged:
            with _as_user_error(entry.file):
                os.replace(entry.new, entry.file)
            done.append(entry)
    except BaseException:
        for entry in reversed(done):
            _put_back(entry)
        raise
    for directory in {os.path.dirname(entry.file) for entry in staged}:
        _sync_directory(directory)


def _put_back(entry: _Staged) -> None:
    if entry.old:
        os.replace(entry.old, entry.file)
    else:
        os.unlink(entry.file)


def _beside(file: str, content: bytes) -> str:
    """A temporary file in the same directory, hence on the same file system, with the content safely on disk."""
    handle, path = tempfile.mkstemp(prefix=f".{os.path.basename(file)}.", suffix=".tmp", dir=os.path.dirname(file))
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            _copy_status(file, path)
            os.fsync(stream.fileno())
    except BaseException:
        _remove(path)
        raise
    return path


def _copy_status(file: str, path: str) -> None:
    """Give the temporary file the owner, permissions and extended attributes of the file, or those of a new file."""
    if not os.path.lexists(file):
        os.chmod(path, 0o666 & ~_umask())
        return
    status, own = os.stat(file), os.stat(path)
    if (status.st_uid, status.st_gid) != (own.st_uid, own.st_gid):
        os.chown(path, status.st_uid, status.st_gid)
    shutil.copystat(file, path)
    # copystat brings the old modification time along, and tools such as make would miss the change.
    os.utime(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _sync_directory(directory: str) -> None:
    """Make the renames durable. Not every system lets a directory be opened or synced; the content is safe anyway."""
    with contextlib.suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _remove(*paths: str) -> None:
    for path in filter(None, paths):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


@contextlib.contextmanager
def _as_user_error(file: str, hint: str = DIFF_HINT) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"cannot write the file: {error.strerror}; nothing was written"
        raise UserError(message, file=file, hint=hint) from error
