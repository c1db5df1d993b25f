"""Sources and results, written to files."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from pdt_annotate.values.errors import UserError
from pdt_annotate.values.kept import kept_elsewhere
from pdt_annotate.writes.transaction import write_files

NOTHING: Mapping[str, bytes] = {}
ELSEWHERE = "name a file in another directory"
HINTS = {
    errno.EISDIR: "name a file in it",
    errno.ENOTDIR: "{} is a file",
    errno.EACCES: "you may not write in {}; name a file in a directory of yours",
    errno.EROFS: "nothing can be written in {}; name a file elsewhere",
    errno.ENOSPC: "make room in {}, or name a file on another disk",
}
"""By what the system says ahead, what to do; in braces, the directory or file that it says that of."""


def write_all(contents: Mapping[str, bytes], expected: Mapping[str, bytes] = NOTHING, root: str = "") -> None:
    """Write each file's content, all files or none, whatever ends the process; see `writes`.

    Args:
        contents: by file.
        expected: by file, what it has to hold until it is replaced.
        root: of the project.

    Raises:
        UserError: a file cannot be written, or may not, or was changed by somebody. Every file is then as it was.
    """
    write_files(contents, expected, root)


def write_document(file: str, content: bytes) -> None:
    """Write a file that holds a result, of which there is no other copy.

    Raises:
        UserError: it cannot be written; the hint says where the content is instead.
    """
    try:
        if _is_stream(file):
            Path(file).write_bytes(content)
        else:
            write_all({file: content})
    except OSError as error:
        raise UserError(f"cannot write the file: {error.strerror}", file=file, hint=ELSEWHERE) from error
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


def _is_stream(file: str) -> bool:
    """Whether writing there keeps nothing: a device, a pipe."""
    return os.path.exists(file) and not (os.path.isfile(file) or os.path.isdir(file))
