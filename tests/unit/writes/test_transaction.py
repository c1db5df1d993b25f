"""Writing several files, all or none, wherever the writing process ends. The attributes of each file are kept."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from pdt_annotate.cli.entry import Ended, raising
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.user_cache import find_user_cache
from pdt_annotate.writes import ENDING, WRITES, describe, make_place, pending, pending_near, written
from pdt_annotate.writes.transaction import held, write_files

NAMES = ("a.py", "b.py", "c.py")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    for name in NAMES:
        (tmp_path / name).write_bytes(b"old " + name.encode())
    return {str(tmp_path / name): b"new" for name in NAMES}


def contents_of(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def assert_old(folder: Path) -> None:
    assert sorted(os.listdir(folder)) == list(NAMES)
    assert contents_of(folder) == {name: b"old " + name.encode() for name in NAMES}


def fail(step: str, end: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a system function fail for files whose paths have this ending."""
    made = getattr(os, step)

    def failing(*given: str, **more: object) -> object:
        if str(given[-1 if step == "replace" else 0]).endswith(end):
            raise OSError(28, "No space left on device")
        return made(*given, **more)

    monkeypatch.setattr(os, step, failing)


@pytest.mark.parametrize(("step", "end"), [("replace", "list"), ("replace", "new.py"), ("mkdir", "deep")])
def test_a_failure_before_a_file_was_replaced_leaves_all(
    step: str, end: str, files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail(step, end, monkeypatch)
    with pytest.raises(UserError, match="No space left on device; nothing was written\n"):
        write_files({str(tmp_path / "deep" / "new.py"): b"new", **files})
    assert_old(tmp_path)
    assert not pending_near(str(tmp_path))


def test_a_failure_in_the_middle_says_what_was_written_and_the_next_run_writes_the_rest(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written.clear()
    monkeypatch.chdir(tmp_path)
    with monkeypatch.context() as context:
        fail("replace", "c.py", context)
        with pytest.raises(UserError, match=r"device; a.py, b.py were written, and the next run") as raised:
            write_files(files)
    assert raised.value.file == str(tmp_path / "c.py")
    assert describe(written) == "a.py, b.py were written"
    ((root, folder),) = pending_near(str(tmp_path))
    with pending.recovered(root, folder) as left:
        assert left.written == list(files)
    assert contents_of(tmp_path) == dict.fromkeys(NAMES, b"new")


def test_what_was_edited_is_named_and_nothing_is_written(files: dict[str, bytes], tmp_path: Path) -> None:
    expected = {file: b"old " + os.path.basename(file).encode() for file in files}
    (tmp_path / "b.py").write_bytes(b"edited")
    with pytest.raises(UserError, match="has changed on disk since it was read; nothing was written") as raised:
        write_files(files, expected)
    assert raised.value.file == str(tmp_path / "b.py")
    (tmp_path / "b.py").write_bytes(b"old b.py")
    assert_old(tmp_path)


def test_a_late_edit_stays(files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = pending.PendingWrite.commit

    def edit_then(self: pending.PendingWrite, contents: list[tuple[bytes, bytes]]) -> None:
        commit(self, contents)
        (tmp_path / "b.py").write_bytes(b"edited")

    monkeypatch.setattr(pending.PendingWrite, "commit", edit_then)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match=r"has changed on disk since it was read; a.py, c.py were written\n") as raised:
        write_files(files)
    assert raised.value.file == str(tmp_path / "b.py")
    assert contents_of(tmp_path) == {"a.py": b"new", "b.py": b"edited", "c.py": b"new"}
    assert not pending_near(str(tmp_path))


def test_what_is_saved_while_a_linked_file_is_overwritten_stays(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.link(tmp_path / "a.py", tmp_path / "also.py")
    fstat = os.fstat

    def save_then(handle: int) -> os.stat_result:
        if os.path.samestat(fstat(handle), os.stat(tmp_path / "a.py")) and (tmp_path / "a.py").read_bytes() == content:
            (tmp_path / "a.py").write_bytes(b"edited")
        return fstat(handle)

    content = b"a longer text"
    monkeypatch.setattr(os, "fstat", save_then)
    write_files(dict.fromkeys(files, content))
    assert contents_of(tmp_path) == {
        **dict.fromkeys((*NAMES, "also.py"), content),
        "a.py": b"edited",
        "also.py": b"edited",
    }


def test_read_only_is_read_only_for_root_too(files: dict[str, bytes], tmp_path: Path) -> None:
    os.chmod(tmp_path / "c.py", 0o444)
    with pytest.raises(UserError, match="the file is read-only; nothing was written") as raised:
        write_files(files)
    assert "chmod u+w c.py" in raised.value.hint
    assert "--diff" in raised.value.hint
    assert_old(tmp_path)


def test_all_are_written_none_is_left_and_second_name_and_mode_stay(files: dict[str, bytes], tmp_path: Path) -> None:
    os.link(tmp_path / "a.py", tmp_path / "also.py")
    os.chmod(tmp_path / "a.py", 0o751)
    write_files(files)
    assert (tmp_path / "also.py").samefile(tmp_path / "a.py")
    assert (tmp_path / "also.py").read_bytes() == b"new"
    assert stat.S_IMODE((tmp_path / "a.py").stat().st_mode) == 0o751
    write_files({**files, str(tmp_path / "new" / "d.py"): b"new"})
    assert contents_of(tmp_path) == dict.fromkeys((*NAMES, "also.py", "new/d.py"), b"new")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give a file away: run as root"
)
def test_a_group_that_is_not_ours_stays(files: dict[str, bytes], tmp_path: Path) -> None:
    user, group = 1234, 2345
    for above in (tmp_path, *tmp_path.parents[:3]):
        os.chmod(above, 0o777)
    for file in files:
        os.chown(file, user, group)
    process = os.fork()
    if not process:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
        try:
            write_files(files)
        finally:
            os._exit(0)
    os.waitpid(process, 0)
    assert contents_of(tmp_path) == dict.fromkeys(NAMES, b"new")
    assert {os.stat(file).st_gid for file in files} == {group}


def test_another_run_is_waited_for(files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "PATIENCE", 0.05)
    busy = pytest.raises(UserError, match="another run of pdt-annotate is writing here")
    with pending.recovered(str(tmp_path), make_place(str(tmp_path))), busy:
        write_files(files)
    assert_old(tmp_path)
    write_files(files)
    assert contents_of(tmp_path) == dict.fromkeys(NAMES, b"new")


def test_without_a_cache_files_are_written(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path.parent / "temporary"
    temporary.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", "/dev/null")
    write_files(files)
    assert contents_of(tmp_path) == dict.fromkeys(NAMES, b"new")
    assert os.path.dirname(find_user_cache()) == str(temporary)


@pytest.mark.parametrize("number", ENDING)
def test_what_is_begun_comes_to_its_end_first(number: int) -> None:
    done = []
    with raising(), pytest.raises(KeyboardInterrupt) as raised, held():
        signal.raise_signal(number)
        done.append("to the end")
    assert done
    assert isinstance(raised.value, Ended) is (number != signal.SIGINT)


def test_an_ignored_signal_stays_ignored_and_handlers_are_given_back() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with raising(), held():
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    handlers = [signal.getsignal(number) for number in ENDING]
    with raising(), held():
        assert [signal.getsignal(number) for number in ENDING] != handlers
    assert [signal.getsignal(number) for number in ENDING] == handlers


OLD = {"a.py": b"old a\n" * 9, "b.py": b"old b\n" * 9, "second.py": b"old b\n" * 9, "c.py": b"old c\n" * 9}
NEW = {name: content.replace(b"old", b"newer") for name, content in OLD.items()} | {"made/d.py": b"new d\n"}
WRITTEN = ("a.py", "b.py", "c.py", "made/d.py")
STEPS = ("open", "write", "fsync", "replace", "mkdir", "unlink", "rmdir")
"""The system functions that the tool calls while it writes."""

LEFT, DONE = 86, 0


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no os.fork")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a file that has two names, and a separate cache directory."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # data outlives the process, and disks are slow
    project = tmp_path / "project"
    project.mkdir()
    for name, content in OLD.items():
        (project / name).write_bytes(content)
    (project / "second.py").unlink()
    os.link(project / "b.py", project / "second.py")
    return project


def left_in_cache() -> list[str]:
    folder = os.path.join(find_user_cache(), WRITES)
    return [name for name in os.listdir(folder) if not name.endswith(".lock")] if os.path.exists(folder) else []


def end_at(number: int) -> None:
    """End this process when it calls the step with this number, after half of the data of this step is written."""
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


@pytest.fixture
def left(folder: Path) -> tuple[str, str]:
    """The state after a process that ended right after the commit: the folder, and the place of the pending write."""

    def end_after_commit() -> None:
        pending.PendingWrite.finish = lambda self: os._exit(LEFT)  # type: ignore[method-assign]

    assert end_in_fork(folder, end_after_commit) == LEFT
    (place,) = pending_near(str(folder))
    return place


def recover(folder: Path) -> list[pending.PendingWrite]:
    found = []
    for each in pending_near(str(folder)):
        with pending.recovered(*each) as left:
            found.append(left)
    return found


@needs_fork
def test_wherever_it_ends_all_is_old_or_all_is_new(folder: Path) -> None:
    states = subprocess.check_output([sys.executable, __file__, folder], text=True).split()
    assert len(states) > 40 and set(states) == {"old", "new"}
    assert states == sorted(states, reverse=True), "the commit is one step"


def end_everywhere(folder: Path) -> None:
    """Print for each step the state that the next run finds if a process ends there. Run it in a small process."""
    assert recover(folder) == [] and contents_of(folder) == OLD and not (folder.parent / "caches").exists()
    number = 0
    while end_in_fork(folder, partial(end_at, number)) == LEFT:
        recover(folder)
        print("old" if (left := contents_of(folder)) == OLD else "new" if left == NEW else f"neither: {left}")
        assert left_in_cache() == [] and (folder / "b.py").samefile(folder / "second.py"), number
        for name, content in OLD.items():
            (folder / name).write_bytes(content)
        (folder / "made/d.py").unlink(missing_ok=True)
        number += 1


@needs_fork
def test_a_file_that_was_left_half_written_is_finished(left: tuple[str, str], folder: Path) -> None:
    (folder / "b.py").write_bytes(NEW["b.py"][:11] + OLD["b.py"][11:])
    (found,) = recover(folder)
    assert contents_of(folder) == NEW
    assert found.written == [str(folder / name) for name in WRITTEN]


@needs_fork
def test_what_was_edited_since_stays(left: tuple[str, str], folder: Path) -> None:
    (folder / "a.py").write_bytes(b"edited")
    (folder / "b.py").write_bytes(b"edited")
    (found,) = recover(folder)
    edited = dict.fromkeys(("a.py", "b.py", "second.py"), b"edited")
    assert contents_of(folder) == NEW | edited
    assert found.edited == [str(folder / "a.py"), str(folder / "b.py")]
    assert left_in_cache() == []


@needs_fork
def test_what_waits_next_to_files_may_be_cleaned_away(folder: Path) -> None:
    def end_before_replacing() -> None:
        pending.PendingWrite._put = lambda *given: os._exit(LEFT)  # type: ignore[method-assign]

    assert end_in_fork(folder, end_before_replacing) == LEFT
    waiting = list(folder.rglob(".pdt-annotate-*"))
    assert len(waiting) == 3
    waiting[0].unlink()
    waiting[1].write_bytes(b"half")
    recover(folder)
    assert contents_of(folder) == NEW


@needs_fork
def test_a_run_that_lives_is_left_alone(left: tuple[str, str], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "PATIENCE", 0.05)
    with open(f"{os.path.dirname(left[1])}/{os.path.basename(left[1])[0]}.lock", "ab") as stream:
        assert pending._lock(stream.fileno())
        with pytest.raises(pending.Busy):
            recover(folder)
    assert contents_of(folder) == OLD


@needs_fork
@pytest.mark.parametrize("forged", [b"", b"[1]", b'[{"file": "/etc/passwd", "beside": "", "was": "", "becomes": ""}]'])
def test_a_list_that_is_none_is_left_alone(forged: bytes, left: tuple[str, str], folder: Path) -> None:
    Path(left[1], "list").write_bytes(forged)
    with pytest.raises(OSError, match="another user's run wrote this"):
        recover(folder)
    assert contents_of(folder) == OLD


@needs_fork
def test_a_list_that_others_may_write_is_not_believed(left: tuple[str, str], folder: Path) -> None:
    os.chmod(os.path.join(left[1], "list"), 0o666)
    with pytest.raises(PermissionError):
        recover(folder)
    os.chmod(os.path.dirname(left[1]), 0o777)
    assert pending_near(str(folder)) == []
    assert contents_of(folder) == OLD


if __name__ == "__main__":
    os.fsync = lambda handle: None  # type: ignore[assignment]  # as in the fixture
    end_everywhere(Path(sys.argv[1]))
