"""Sources and results, written to files and standard streams, and never through a link that leads elsewhere."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any, BinaryIO

from pdt_annotate.settings.options import STDOUT, Color
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.kept import kept_elsewhere
from pdt_annotate.values.paths import find_way_out, lies_in, named_from
from pdt_annotate.writes.transaction import write_files

NO_CONTENTS: Mapping[str, bytes] = {}
NOTHING = "nothing was written"
REMOVE = "remove the link, or name another place"
ELSEWHERE = "name a file in another directory"
HINTS = {
    errno.EISDIR: "name a file in it",
    errno.ENOTDIR: "{} is a file",
    errno.EACCES: "you may not write in {}; name a file in a directory of yours",
    errno.EROFS: "nothing can be written in {}; name a file elsewhere",
    errno.ENOSPC: "make room in {}, or name a file on another disk",
}
"""By what the system says ahead, what to do; in braces, the directory or file that it says that of."""


def write_all(contents: Mapping[str, bytes], expected: Mapping[str, bytes] = NO_CONTENTS, root: str = "") -> None:
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


def assert_within(files: Iterable[str], directory: str) -> None:
    """Make sure that all files lie in a directory, whatever links there are. To be asked right before they are written.

    Raises:
        UserError: one lies elsewhere.
    """
    for file in files:
        if not lies_in(file, directory):
            message = f"a link leads out of {named_from(directory)}, and nothing is written through it; {NOTHING}"
            raise UserError(message, file=file, hint=REMOVE)


def assert_led_by_no_link(file: str, root: str, option: str) -> None:
    """Make sure that a place which somebody named is not another one because of what lies in the project.

    Args:
        file: the place, inside the project or not.
        root: the project.
        option: who named it, for the message.

    Raises:
        UserError: a link in the project leads out of it.
    """
    link = find_way_out(file, root)
    if link:
        where = named_from(link)
        message = f"{option} cannot be written: the link {where} leads out of the project; {NOTHING}"
        raise UserError(message, file=file, hint=REMOVE)


def wants_color(color: Color, stream: IO[Any]) -> bool:
    """`--color` first, then NO_COLOR (no-color.org) and FORCE_COLOR (force-color.org), then the terminal."""
    if color is not Color.AUTO:
        return color is Color.ALWAYS
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def write(stdout: BinaryIO, content: bytes) -> None:
    """Write and flush; that a standard stream cannot be written to is told at the end of the command."""
    stdout.write(content)
    stdout.flush()


def deliver(content: bytes, file: str, stdout: BinaryIO) -> None:
    """Write what a program is to read to a file; "-" is stdout.

    Raises:
        UserError: the file cannot be written.
    """
    if file == STDOUT:
        write(stdout, content)
    else:
        write_document(file, content)
