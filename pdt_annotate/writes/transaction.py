"""Writes several files, all or none; signals that would end the process are delayed while files are replaced."""

import contextlib
import os
import signal
import threading
from collections.abc import Iterator, Mapping

from pdt_annotate.values.errors import UserError
from pdt_annotate.values.paths import projects_above, upwards
from pdt_annotate.values.user_cache import digest
from pdt_annotate.writes import ENDING, describe, make_place, written
from pdt_annotate.writes.pending import Busy, PendingWrite, PlannedFile, read, recovered

CHANGED, GONE = "has changed on disk since it was read", "was removed or moved since it was read"
DIFF_HINT = "--diff prints the same change for `git apply` or `patch -p1`"
NONE = "nothing was written"
REST = ", and the next run of pdt-annotate here writes the remaining files"


def write_files(contents: Mapping[str, bytes], expected: Mapping[str, bytes] | None = None, root: str = "") -> None:
    """Write each file's content, all or none, even if this process is ended meanwhile.

    A signal that asks it to end is raised afterwards. Links, permissions, owner, extended attributes and hard links of
    a file are kept. If a file cannot be written, is read-only, or was changed meanwhile, a `UserError` is raised; every
    file is then as it was, unless its message says otherwise.

    `expected` has the content that a file must have before the write, by default its present one. The next run looks
    for an interrupted write in `root`, if that is above all files.
    """
    if not contents:
        return
    real = {os.path.realpath(file): file for file in contents}
    # The directory above all files in which the next run finds the write: the project, or the working one.
    nearest = os.path.commonpath([os.path.dirname(file) for file in real])
    above = upwards(nearest)
    wanted = (os.path.realpath(root) if root else "", *projects_above(nearest), os.path.realpath(os.curdir))
    place = next((each for each in wanted if each in above), nearest)
    try:
        folder = make_place(place)
        with recovered(place, folder), held():
            before = {path: _look(path, (expected or {}).get(file)) for path, file in real.items()}
            _write(folder, before, {path: contents[file] for path, file in real.items()})
            written.extend(real.values())
    except Busy:
        message = f"another run of pdt-annotate is writing here; {NONE}"
        raise UserError(message, file=place, hint="wait for it to end, and run this command again") from None
    except OSError as error:
        raise _failed(error, NONE) from error


def _write(folder: str, before: Mapping[str, bytes | None], after: Mapping[str, bytes]) -> None:
    pending = PendingWrite(folder, [_plan(path, before[path], content) for path, content in after.items()])
    missing = {above for path in after for above in upwards(os.path.dirname(path)) if not os.path.lexists(above)}
    try:
        pending.commit([(before[path] or b"", content) for path, content in after.items()])
        if not pending.edited:
            pending.finish()
        if pending.edited:
            raise _edited(pending.edited[0], CHANGED, describe(pending.written))
    except BaseException as error:
        is_committed = os.path.exists(pending.path("list"))
        with contextlib.suppress(OSError):
            if not (is_committed and (pending.written or pending.find_changed(overwritten=True))):
                pending.clear()
                is_committed = False
                for directory in sorted(missing, reverse=True):
                    os.rmdir(directory)
        written.extend(pending.written)
        if isinstance(error, OSError):
            raise _failed(error, describe(pending.written) + (REST if is_committed else "")) from error
        raise


def _look(file: str, expected: bytes | None) -> bytes | None:
    """Return the content of a file that may be written; None if there is no file."""
    content = read(file)
    if expected is not None and content != expected:
        raise _edited(file, GONE if content is None else CHANGED)
    # Root may write any file, but a read-only mode says that it must not be written.
    if content is not None and not (os.stat(file).st_mode & 0o222 and os.access(file, os.W_OK)):
        hint = f"`chmod u+w {os.path.basename(file)}` makes it writable; {DIFF_HINT}"
        raise UserError(f"the file is read-only; {NONE}", file=file, hint=hint)
    return content


def _plan(file: str, before: bytes | None, after: bytes) -> PlannedFile:
    beside = os.path.join(os.path.dirname(file), f".pdt-annotate-{os.urandom(6).hex()}")
    if before is not None:
        status = os.stat(file)
        mine = os.name == "nt" or (status.st_uid, status.st_gid) == (os.geteuid(), os.getegid())
        if status.st_nlink > 1 or not mine:
            beside = ""
    return PlannedFile(file, beside, digest(before), digest(after))


def _edited(file: str, reason: str, said: str = NONE) -> UserError:
    hint = f"run the command again, with the current content of {os.path.basename(file)}"
    return UserError(f"the file {reason}; {said}", file=file, hint=hint)


def _failed(error: OSError, said: str) -> UserError:
    return UserError(f"cannot write the file: {error.strerror}; {said}", file=str(error.filename or ""), hint=DIFF_HINT)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Delay signals until the block ends, then raise the first; only in the main thread, which handles signals."""
    heard: list[int] = []
    is_main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in ENDING if is_main}
    ours = {number: handler for number, handler in handlers.items() if handler not in (None, signal.SIG_IGN)}
    try:
        for number in ours:
            signal.signal(number, lambda number, frame: heard.append(number))
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
        for number in heard[:1]:
            signal.raise_signal(number)
