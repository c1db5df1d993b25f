"""A process that writes ends at any of its steps: after the next command, all files are old or all are new."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pdt_annotate.values.user_cache import find_user_cache
from pdt_annotate.writes import pending
from pdt_annotate.writes.near import WRITES, pending_near
from pdt_annotate.writes.pending import Busy, recovered
from pdt_annotate.writes.transaction import write_files

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no os.fork")

OLD = {"a.py": b"old a\n" * 9, "b.py": b"old b\n" * 9, "second.py": b"old b\n" * 9, "c.py": b"old c\n" * 9}
NEW = {name: content.replace(b"old", b"newer") for name, content in OLD.items()} | {"made/d.py": b"new d\n"}
WRITTEN = ("a.py", "b.py", "c.py", "made/d.py")
STEPS = ("open", "write", "fsync", "replace", "mkdir", "unlink", "rmdir")
"""What the tool asks of the system while it writes."""

LEFT, DONE = 86, 0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a file of two names, and a cache directory of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    project = tmp_path / "project"
    project.mkdir()
    for name, content in OLD.items():
        (project / name).write_bytes(content)
    (project / "second.py").unlink()
    os.link(project / "b.py", project / "second.py")
    return project


def held(folder: Path) -> dict[str, bytes]:
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


def write_in_fork(folder: Path, prepare: Callable[[], object]) -> int:
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


def end_after_commit() -> None:
    pending.PendingWrite.finish = lambda self: os._exit(LEFT)  # type: ignore[method-assign]


def recover(folder: Path) -> list[pending.PendingWrite]:
    found = []
    for each in pending_near(str(folder)):
        with recovered(*each) as left:
            found.append(left)
    return found


def test_where_nothing_was_left_nothing_is_done(folder: Path) -> None:
    assert recover(folder) == []
    assert not (folder.parent / "caches").exists()
    assert held(folder) == OLD


def test_wherever_it_ends_all_is_old_or_all_is_new(folder: Path) -> None:
    number, states = 0, []
    while write_in_fork(folder, partial(end_at, number)) == LEFT:
        recover(folder)
        states.append(held(folder))
        assert states[-1] in (OLD, NEW), number
        assert left_in_cache() == [], number
        assert (folder / "b.py").samefile(folder / "second.py")
        for name, content in OLD.items():
            (folder / name).write_bytes(content)
        (folder / "made/d.py").unlink(missing_ok=True)
        number += 1
    assert number > 40
    turned = states.index(NEW)
    assert states == [OLD] * turned + [NEW] * (number - turned), "the commit is one step"


def test_a_file_that_was_left_half_written_is_finished(folder: Path) -> None:
    assert write_in_fork(folder, end_after_commit) == LEFT
    (folder / "b.py").write_bytes(NEW["b.py"][:11] + OLD["b.py"][11:])
    (left,) = recover(folder)
    assert held(folder) == NEW
    assert left.written == [str(folder / name) for name in WRITTEN]


def test_what_was_edited_since_stays(folder: Path) -> None:
    assert write_in_fork(folder, end_after_commit) == LEFT
    (folder / "a.py").write_bytes(b"edited")
    (folder / "b.py").write_bytes(b"edited")
    (left,) = recover(folder)
    edited = dict.fromkeys(("a.py", "b.py", "second.py"), b"edited")
    assert held(folder) == NEW | edited
    assert left.edited == [str(folder / "a.py"), str(folder / "b.py")]
    assert left_in_cache() == []


def test_what_waits_next_to_files_may_be_cleaned_away(folder: Path) -> None:
    def end_before_replacing() -> None:
        pending.PendingWrite._put = lambda *given: os._exit(LEFT)  # type: ignore[method-assign]

    assert write_in_fork(folder, end_before_replacing) == LEFT
    waiting = list(folder.rglob(".pdt-annotate-*"))
    assert len(waiting) == 3
    waiting[0].unlink()
    waiting[1].write_bytes(b"half")
    recover(folder)
    assert held(folder) == NEW


def test_a_run_that_lives_is_left_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert write_in_fork(folder, end_after_commit) == LEFT
    monkeypatch.setattr(pending, "PATIENCE", 0.05)
    (place,) = pending_near(str(folder))
    with open(f"{os.path.dirname(place[1])}/{os.path.basename(place[1])[0]}.lock", "ab") as stream:
        assert pending._lock(stream.fileno())
        with pytest.raises(Busy):
            recover(folder)
    assert held(folder) == OLD


@pytest.mark.parametrize("forged", [b"", b"[1]", b'[{"file": "/etc/passwd", "beside": "", "was": "", "becomes": ""}]'])
def test_a_list_that_is_none_is_left_alone(forged: bytes, folder: Path) -> None:
    assert write_in_fork(folder, end_after_commit) == LEFT
    ((_, place),) = pending_near(str(folder))
    Path(place, "list").write_bytes(forged)
    with pytest.raises(OSError, match="no run of yours has left this"):
        recover(folder)
    assert held(folder) == OLD


def test_a_list_that_others_may_write_is_not_believed(folder: Path) -> None:
    assert write_in_fork(folder, end_after_commit) == LEFT
    ((_, place),) = pending_near(str(folder))
    os.chmod(os.path.join(place, "list"), 0o666)
    with pytest.raises(PermissionError):
        recover(folder)
    os.chmod(os.path.dirname(place), 0o777)
    assert pending_near(str(folder)) == []
    assert held(folder) == OLD
