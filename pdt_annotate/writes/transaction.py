"""Write several files, all or none."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pdt_annotate.values.errors import UserError
from pdt_annotate.writes import journal, ledger
from pdt_annotate.writes.journal import BESIDE, DONE, STAGED, Journal, PlannedFile, WritePlan
from pdt_annotate.writes.lock import Busy, Foreign
from pdt_annotate.writes.near import NAME, journals_near
from pdt_annotate.writes.recovery import PAUSE, finish, recover
from pdt_annotate.writes.signals import held
from pdt_annotate.writes.steps import GONE, CannotKeep, Edited, assert_put, put, stage
from pdt_annotate.writes.swap import digest, read

PATIENCE = 10.0
"""Seconds for which another run that writes in the same place is waited for."""
PROJECT_MARKS = ("pyproject.toml", ".git")
NOTHING: Mapping[str, bytes] = {}

DIFF_HINT = "--diff prints the same change for `git apply` or `patch -p1`"
AGAIN = "run the command again, on what {} holds now"
READ_ONLY = "`chmod u+w {}` lets it be written; " + DIFF_HINT
FOREIGN = "if no other user of this project is writing, remove it"
BUSY = "wait for it to end, and run this command again"
UNRECOVERED = "the next run of pdt-annotate here puts back what could not be"


@dataclass(frozen=True)
class Change:
    """A file and what it is to hold; `before` is what it holds, None where there is none."""

    file: str
    before: bytes | None
    after: bytes
    status: os.stat_result | None = None


def write_files(contents: Mapping[str, bytes], expected: Mapping[str, bytes] = NOTHING, root: str = "") -> None:
    """Give each file its content, all or none, whatever ends this process meanwhile.

    A signal that asks it to end is heard afterwards. Links, permissions, owner, extended attributes and further names
    of a file stay.

    Args:
        contents: by file.
        expected: by file, what it has to hold until then. Of one that is not named, that is what it holds now.
        root: the directory in which the journal is to lie, if that is above all files.

    Raises:
        UserError: a file cannot be written, is read-only, or was changed by somebody. Every file is then as it was,
            unless the message says otherwise.
    """
    if not contents:
        return
    deadline, careful = time.monotonic() + PATIENCE, False
    while True:
        with held():
            try:
                _write(contents, expected, root, careful)
                return
            except CannotKeep:
                careful = True
            except Busy as busy:
                if time.monotonic() > deadline:
                    message = "another run of pdt-annotate is writing here; nothing was written"
                    raise UserError(message, file=str(busy), hint=BUSY) from None
        time.sleep(PAUSE)


def _write(contents: Mapping[str, bytes], expected: Mapping[str, bytes], root: str, careful: bool) -> None:
    real = {_resolve(file): file for file in contents}
    places = _places(list(real), root)
    _recover(places)
    changes = [_look(path, contents[file], expected.get(file)) for path, file in real.items()]
    begun = _begin(places, _plan(changes, careful))
    try:
        _carry_out(begun, changes)
    except BaseException as error:
        _undo(begun, error)
        raise
    ledger.note(real.values())
    with contextlib.suppress(OSError):  # the next run clears away what is left
        finish(begun)


def _carry_out(begun: Journal, changes: list[Change]) -> None:
    work = list(zip(begun.plan.entries, changes, strict=True))
    for directory in begun.plan.made:
        with _told(directory):
            os.mkdir(directory)
    for entry, change in work:
        with _told(change.file):
            stage(entry, change.after, change.before or b"")
    with _told(begun.path):
        begun.mark(STAGED)
    for entry, change in work:
        with _told(change.file):
            put(entry, change.after)
    for entry, change in work:
        with _told(change.file):
            assert_put(entry)
    for directory in {os.path.dirname(change.file) for change in changes}:
        with _told(directory):
            journal.sync_directory(directory)
    with _told(begun.path):
        begun.mark(DONE)


def _undo(begun: Journal, error: BaseException) -> None:
    try:
        recovered = finish(begun)
    except OSError as again:
        message = str(error).replace("nothing was written", "not all could be put back")
        raise UserError(f"{message} ({again.strerror})", file=again.filename or begun.path, hint=UNRECOVERED) from error
    if recovered.kept:
        raise UserError(f"{error}; what was saved meanwhile is in {', '.join(recovered.kept)}") from error


def _recover(places: list[str]) -> None:
    """Recover what was left before, here and above.

    Raises:
        Busy: somebody writes here now.
        UserError: what lies here is not ours to mend, or cannot be.
    """
    for path in list(journals_near(places[-1])):
        try:
            recover(path)
        except Foreign:
            if os.path.dirname(path) not in places:
                continue
            message = "this is no journal that a run of yours left; nothing was written"
            raise UserError(message, file=path, hint=FOREIGN) from None
        except OSError as error:
            message = f"what an ended run left here cannot be mended: {error.strerror}; nothing was written"
            raise UserError(message, file=error.filename or path) from error


def _begin(places: list[str], plan: WritePlan) -> Journal:
    """The journal, in the first place where one can be made."""
    for place in places[:-1]:
        with contextlib.suppress(OSError):
            return journal.begin(os.path.join(place, NAME), plan)
    with _told(plan.entries[0].file):
        return journal.begin(os.path.join(places[-1], NAME), plan)


def _places(files: list[str], root: str) -> list[str]:
    """Where the journal may lie, at or above all files, so that the next run finds it; the nearest last."""
    nearest = os.path.commonpath([os.path.dirname(file) for file in files])
    nearest = next(filter(os.path.isdir, _upwards(nearest)), nearest)
    marked = next((each for each in _upwards(nearest) if _is_marked(each)), nearest)
    wanted = (root and _resolve(root), marked, _resolve(os.curdir), nearest)
    return list(dict.fromkeys(each for each in wanted if each and each in _upwards(nearest)))


def _resolve(file: str) -> str:
    with _told(file):
        return os.path.realpath(file)


def _upwards(directory: str) -> list[str]:
    found = [directory]
    while os.path.dirname(found[-1]) != found[-1]:
        found.append(os.path.dirname(found[-1]))
    return found


def _is_marked(directory: str) -> bool:
    return any(os.path.exists(os.path.join(directory, mark)) for mark in PROJECT_MARKS)


def _look(file: str, after: bytes, expected: bytes | None) -> Change:
    """What a file holds now.

    Raises:
        UserError: it may not be written, or holds something else than is expected.
    """
    with _told(file):
        try:
            status = os.lstat(file)
        except FileNotFoundError:
            if expected is not None:
                raise Edited(file, GONE) from None
            return Change(file, None, after)
        _assert_writable(file, status)
        before = read(file)
        if expected is not None and before != expected:
            raise Edited(file)
        return Change(file, before, after, status)


def _assert_writable(file: str, status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), file)
    if not (status.st_mode & 0o222 and os.access(file, os.W_OK)):  # root may write all, and yet it was said
        message = "the file is read-only; nothing was written"
        raise UserError(message, file=file, hint=READ_ONLY.format(os.path.basename(file)))


def _plan(changes: list[Change], careful: bool) -> WritePlan:
    token = uuid.uuid4().hex[:12]
    entries = []
    for number, change in enumerate(changes):
        beside = os.path.join(os.path.dirname(change.file), f"{BESIDE}{token}-{number}")
        was = "" if change.before is None else digest(change.before)
        through = change.status is not None and _is_shared(change.status, careful)
        entries.append(PlannedFile(change.file, f"{beside}.new", f"{beside}.old", was, digest(change.after), through))
    missing = {
        above for change in changes for above in _upwards(os.path.dirname(change.file)) if not os.path.lexists(above)
    }
    return WritePlan(tuple(entries), tuple(sorted(missing, key=len)))


def _is_shared(status: os.stat_result, careful: bool) -> bool:
    """Whether another file in its place would not be the same to others; `careful` where owners cannot be kept."""
    mine = not careful or (status.st_uid, status.st_gid) == (os.geteuid(), os.getegid())
    return status.st_nlink > 1 or not mine


@contextlib.contextmanager
def _told(file: str) -> Iterator[None]:
    """Errors in words."""
    try:
        yield
    except Edited as edited:
        message = f"the file {edited.reason}; nothing was written"
        raise UserError(message, file=file, hint=AGAIN.format(os.path.basename(file))) from None
    except OSError as error:
        message = f"cannot write the file: {error.strerror}; nothing was written"
        raise UserError(message, file=file, hint=DIFF_HINT) from error
