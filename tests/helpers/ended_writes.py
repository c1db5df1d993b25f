"""Ends a process at each step that it asks of the system while it writes files.

    python ended_writes.py FOLDER

It prints for each step what the next run finds: all old, or all new. A process with little memory is forked quickly.
"""

import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pdt_annotate.values.user_cache import find_user_cache
from pdt_annotate.writes import WRITES, pending, pending_near
from pdt_annotate.writes.transaction import write_files

OLD = {"a.py": b"old a\n" * 9, "b.py": b"old b\n" * 9, "second.py": b"old b\n" * 9, "c.py": b"old c\n" * 9}
NEW = {name: content.replace(b"old", b"newer") for name, content in OLD.items()} | {"made/d.py": b"new d\n"}
WRITTEN = ("a.py", "b.py", "c.py", "made/d.py")
STEPS = ("open", "write", "fsync", "replace", "mkdir", "unlink", "rmdir")
"""What the tool asks of the system while it writes."""

LEFT, DONE = 86, 0


def contents_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def left_in_cache() -> list[str]:
    folder = os.path.join(find_user_cache(), WRITES)
    return [name for name in os.listdir(folder) if not name.endswith(".lock")] if os.path.exists(folder) else []


def end_at(number: int) -> None:
    """Let this process end where it asks for that step, by its number, half of what it writes being written."""
    made = []

    def stop(name: str, step: Callable[..., object]) -> Callable[..., object]:
        def stopping(*given: object, **more: object) -> object:
            made.append(name)
            if len(made) > number:
                os._exit(LEFT)
            return step(*given, **more)

        return stopping

    for name in STEPS:
        setattr(os, name, stop(name, getattr(os, name)))


def end_in_fork(folder: Path, prepare: Callable[[], object]) -> int:
    process = os.fork()
    if not process:
        code = 99
        try:
            prepare()
            write_files({str(folder / name): NEW[name] for name in WRITTEN})
            code = DONE
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def recover(folder: Path) -> list[pending.PendingWrite]:
    found = []
    for each in pending_near(str(folder)):
        with pending.recovered(*each) as left:
            found.append(left)
    return found


def end_everywhere(folder: Path) -> None:
    assert recover(folder) == []
    assert not (folder.parent / "caches").exists()
    assert contents_of(folder) == OLD
    number = 0
    while end_in_fork(folder, partial(end_at, number)) == LEFT:
        recover(folder)
        state = contents_of(folder)
        assert state in (OLD, NEW), number
        print("old" if state == OLD else "new")
        assert left_in_cache() == [], number
        assert (folder / "b.py").samefile(folder / "second.py")
        for name, content in OLD.items():
            (folder / name).write_bytes(content)
        (folder / "made/d.py").unlink(missing_ok=True)
        number += 1


if __name__ == "__main__":
    os.fsync = lambda handle: None  # type: ignore[assignment]  # what a process wrote outlives it, and disks are slow
    end_everywhere(Path(sys.argv[1]))
