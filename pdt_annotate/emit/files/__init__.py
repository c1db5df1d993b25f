"""Writes sources and results to files and standard streams, never through a link that leads elsewhere."""

import errno
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, BinaryIO

from pdt_annotate.settings.options import STDOUT, Color
from pdt_annotate.values.errors import UserError, kept_elsewhere
from pdt_annotate.values.paths import find_way_out, lies_in, named_from
from pdt_annotate.writes.transaction import write_files

NOTHING = "nothing was written"
REMOVE = "remove the link, or name another place"
ELSEWHERE = "name a file in another directory"
HINTS = {  # advice by the system's error; in braces, the directory or file that the error is about
    errno.EISDIR: "name a file in this directory",
    errno.ENOTDIR: "{} is a file",
    errno.EACCES: "you have no permission to write in {}; name a file in another directory",
    errno.EROFS: "{} is read-only; name a file in another directory",
    errno.ENOSPC: "free some space in {}, or name a file on another disk",
}


def write_document(file: str, content: bytes) -> None:
    """Write a result that has no other copy; the hint of an error names the place where it was saved instead."""
    try:
        is_stream = os.path.exists(file) and not (os.path.isfile(file) or os.path.isdir(file))  # a device, a pipe
        if is_stream:
            Path(file).write_bytes(content)
        else:
            write_files({file: content})
    except OSError as error:
        raise UserError(f"cannot write the file: {error.strerror}", file=file, hint=ELSEWHERE) from error
    except UserError as error:
        said = UserError(error.message.partition(";")[0], file=file, hint=ELSEWHERE)
        raise kept_elsewhere(said, file, lambda kept: Path(kept).write_bytes(content)) from error


def assert_writable(file: str, option: str) -> None:
    """Raise a UserError if a file could not be written. A path that ends in a slash is a directory."""
    place = os.path.realpath(file) if file.endswith(os.sep) else os.path.dirname(os.path.realpath(file))
    while not os.path.lexists(place):
        place = os.path.dirname(place)
    try:
        if os.path.isdir(file) and not file.endswith(os.sep):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        with tempfile.TemporaryFile(dir=place):  # the mode's bits alone do not decide
            pass
    except OSError as error:
        hint = HINTS.get(error.errno or 0, ELSEWHERE).format(place)
        raise UserError(f"{option} cannot be written: {error.strerror}", file=file, hint=hint) from error


def assert_within(files: Iterable[str], directory: str) -> None:
    """Raise a UserError if a link leads a file out of a directory. Call it right before writing the files."""
    for file in files:
        if not lies_in(file, directory):
            message = f"a symbolic link leads out of {named_from(directory)}, so {NOTHING}"
            raise UserError(message, file=file, hint=REMOVE)


def assert_led_by_no_link(file: str, root: str, option: str) -> None:
    """Raise a UserError if a link in the project leads the file of an option out of the project."""
    if link := find_way_out(file, root):
        where = named_from(link)
        message = f"{option} cannot be written: the symbolic link {where} leads out of the project; {NOTHING}"
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
    """Write and flush; an error of a standard stream is reported at the end of the command."""
    stdout.write(content)
    stdout.flush()


def deliver(content: bytes, file: str, stdout: BinaryIO) -> None:
    """Write machine-readable output to a file; "-" is stdout."""
    if file == STDOUT:
        write(stdout, content)
    else:
        write_document(file, content)
