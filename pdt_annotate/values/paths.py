"""Paths: their portable spelling, whether they stay in a directory once links are resolved, and those of a project."""

import contextlib
import errno
import functools
import os
import stat
from collections.abc import Collection, Iterator

from pdt_annotate.values.installed import is_environment

WRITABLE_BY_ALL = 0o002

PROJECT_MARKS = ("pyproject.toml", ".git")  # a directory that holds one of these is a project's root


def named_from(path: str, directory: str = "") -> str:
    """A path relative to a directory, by default the current one; unchanged if it is on another drive."""
    with contextlib.suppress(ValueError):
        path = os.path.relpath(path, directory or os.curdir)
    return path.replace(os.sep, "/")


def lies_in(path: str, directory: str) -> bool:
    """Whether a path is a directory or is inside it, once all links are resolved; neither has to exist."""
    return _is_below(os.path.realpath(path), os.path.realpath(directory))


def find_way_out(path: str, directory: str) -> str:
    """The first link on a path that is in a directory and leads out of it; "" if no link does.

    A path that starts outside counts as wanted: its author named the place it leads to.
    """
    inside = os.path.realpath(directory)
    here = os.path.abspath(os.sep) if os.path.isabs(path) else os.getcwd()
    for part in path.split(os.sep):
        there = os.path.join(here, part)
        real = os.path.realpath(there)
        if os.path.islink(there) and _is_below(here, inside) and not _is_below(real, inside):
            return there
        here = real
    return ""


def real_path(path: str) -> str:
    """`os.path.realpath` of an absolute path; faster for many files in few folders, because it caches every folder."""
    folder, name = os.path.split(path)
    # Only realpath knows the links of Windows.
    is_plain = os.name != "nt" and name not in (os.pardir, os.curdir, "")
    if not is_plain or folder == path or os.path.islink(path):
        return os.path.realpath(path)
    return os.path.join(_real_folder(folder), name)


_real_folder = functools.lru_cache(maxsize=65536)(real_path)


def _is_below(real: str, directory: str) -> bool:
    return f"{real}{os.sep}".startswith(os.path.join(directory, ""))


def is_of_others(path: str) -> bool:
    """Whether a path belongs to a user other than this one and root, or all may write it; OSError if it is missing."""
    if os.name == "nt":
        return False
    status = os.stat(path)
    return status.st_uid not in (0, os.getuid()) or bool(status.st_mode & WRITABLE_BY_ALL)


def read_bounded(file: str, most: int) -> bytes:
    """The content of a regular file, without waiting on a pipe.

    Raises OSError if it is missing, not regular, unreadable, or longer than `most` bytes.
    """
    at_once = getattr(os, "O_NONBLOCK", 0)
    with open(file, "rb", opener=lambda path, flags: os.open(path, flags | at_once)) as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", file)
        content = stream.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is longer than {most >> 20} MiB", file)
    return content


def project_files(root: str, suffixes: tuple[str, ...], skipped: Collection[str] = ()) -> Iterator[str]:
    """The files with these suffixes below a directory, those near the top first.

    Links are not followed; hidden directories, environments and directories of the `skipped` names are left out.
    """
    pending = [root]
    for folder in pending:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                is_left_out = entry.name.startswith((".", "__")) or entry.name in skipped or is_environment(entry.path)
                pending += [] if is_left_out else [entry.path]
            elif entry.name.endswith(suffixes) and os.path.isfile(entry):  # it may be a broken link
                yield entry.path


def projects_above(directory: str) -> list[str]:
    return [each for each in upwards(directory) if any(os.path.exists(f"{each}/{mark}") for mark in PROJECT_MARKS)]


def find_here() -> str:
    """The working directory; "" if it is gone."""
    with contextlib.suppress(OSError):
        return os.getcwd()
    return ""


def upwards(directory: str) -> list[str]:
    found = [directory]
    while os.path.dirname(found[-1]) != found[-1]:
        found.append(os.path.dirname(found[-1]))
    return found
