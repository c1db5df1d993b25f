"""Write several files, all or none: a reader sees the old content or the new, and a failure leaves the old."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pdt_annotate.values.errors import UserError
from pdt_annotate.values.kept import kept_elsewhere

DIFF_HINT = "--diff prints the same change for `git apply` or `patch -p1`"
ELSEWHERE = "name a file in another directory"
HINTS = {
    errno.EISDIR: "name a file in it",
    errno.ENOTDIR: "{} is a file",
    errno.EACCES: "you may not write in {}; name a file in a directory of yours",
    errno.EROFS: "nothing can be written in {}; name a file elsewhere",
    errno.ENOSPC: "make room in {}, or name a file on another disk",
}
"""By what the system says ahead, what to do; in braces, the directory or file that it says that of."""


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


def write_document(file: str, content: bytes) -> None:
    """Write a file that holds a result, of which there is no other copy.

    Raises:
        UserError: it cannot be written; the hint says where the content is instead.
    """
    try:
        write_all({file: content})
    except UserError as error:
        said = UserError(error.message.partition(";")[0], file=file, hint=ELSEWHERE)
        raise kept_elsewhere(said, file, lambda kept: Path(kept).write_bytes(content)) from error


def assert_writable(file: str, option: str) -> None:
    """Tell ahead what writing a file would come to; no file is changed, and no directory is made.

    Args:
        file: a path that ends in a slash is that of a directory in which files are to be written.
        option: who asks for the file, for the message.

    Raises:
        UserError: the file cannot be written.
    """
    place = _nearest(file)
    try:
        if os.path.isdir(file) and not file.endswith(os.sep):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with tempfile.TemporaryFile(dir=place):  # the system knows more than the bits of a mode do
            pass
    except OSError as error:
        hint = HINTS.get(error.errno or 0, ELSEWHERE).format(place)
        raise UserError(f"{option} cannot be written: {error.strerror}", file=file, hint=hint) from error


def _nearest(file: str) -> str:
    """What is there already of the directory of a file, or of a directory that ends in a slash."""
    place = os.path.realpath(file) if file.endswith(os.sep) else os.path.dirname(os.path.realpath(file))
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    return place


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
def _as_user_error(file: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        message = f"cannot write the file: {error.strerror}; nothing was written"
        raise UserError(message, file=file, hint=DIFF_HINT) from error
