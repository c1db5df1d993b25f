"""Several files, all or none; each keeps what is not content."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pdt_annotate.values.errors import UserError
from pdt_annotate.writes import lock, swap
from pdt_annotate.writes.near import NAME
from pdt_annotate.writes.transaction import write_files

NAMES = ("a.py", "b.py", "c.py")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, bytes]:
    for name in NAMES:
        (tmp_path / name).write_bytes(b"old " + name.encode())
    return {str(tmp_path / name): b"new" for name in NAMES}


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def assert_old(folder: Path) -> None:
    assert held(folder) == {name: b"old " + name.encode() for name in NAMES}


@pytest.mark.parametrize("can_swap", [True, False])
def test_all_are_written_and_nothing_is_left(
    can_swap: bool, files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_swap:
        monkeypatch.setattr(swap, "_find_call", lambda: None)
    write_files({**files, str(tmp_path / "new" / "d.py"): b"new"})
    assert (tmp_path / "new" / "d.py").read_bytes() == b"new"
    assert set(os.listdir(tmp_path)) == {*NAMES, "new"}
    assert os.listdir(tmp_path / "new") == ["d.py"]
    assert {(tmp_path / name).read_bytes() for name in NAMES} == {b"new"}


def test_a_failure_in_the_middle_restores_every_file(
    files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.replace

    def fail_at_c(source: str, target: str) -> None:
        if target.endswith("c.py"):
            raise OSError(28, "No space left on device")
        rename(source, target)

    monkeypatch.setattr(swap, "_find_call", lambda: None)
    monkeypatch.setattr(os, "replace", fail_at_c)
    with pytest.raises(UserError, match="No space left on device; nothing was written"):
        write_files({str(tmp_path / "deep" / "new.py"): b"new", **files})
    assert_old(tmp_path)


def test_what_was_edited_is_named_and_nothing_is_written(files: dict[str, bytes], tmp_path: Path) -> None:
    expected = {file: b"old " + os.path.basename(file).encode() for file in files}
    (tmp_path / "b.py").write_bytes(b"edited")
    with pytest.raises(UserError, match="changed on disk meanwhile; nothing was written") as raised:
        write_files(files, expected)
    assert raised.value.file == str(tmp_path / "b.py")
    (tmp_path / "b.py").write_bytes(b"old b.py")
    assert_old(tmp_path)


def test_a_file_that_another_program_writes_is_left_to_it(files: dict[str, bytes], tmp_path: Path) -> None:
    with (tmp_path / "b.py").open("r+b") as stream:
        if swap.lease(os.open(tmp_path / "b.py", os.O_RDONLY), writing=False):
            pytest.skip("nobody can tell here whether a file is open")
        with pytest.raises(UserError, match="is open for writing in another program"):
            write_files(files)
        stream.write(b"sav")
    assert held(tmp_path) == {"a.py": b"old a.py", "b.py": b"sav b.py", "c.py": b"old c.py"}


def test_read_only_is_read_only_for_root_too(files: dict[str, bytes], tmp_path: Path) -> None:
    os.chmod(tmp_path / "c.py", 0o444)
    with pytest.raises(UserError, match="the file is read-only; nothing was written") as raised:
        write_files(files)
    assert "chmod u+w c.py" in raised.value.hint
    assert "--diff" in raised.value.hint
    assert_old(tmp_path)


def test_a_second_name_stays_one(files: dict[str, bytes], tmp_path: Path) -> None:
    os.link(tmp_path / "a.py", tmp_path / "also.py")
    write_files(files)
    assert (tmp_path / "also.py").samefile(tmp_path / "a.py")
    assert (tmp_path / "also.py").read_bytes() == b"new"


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may be somebody else")
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
    assert held(tmp_path) == dict.fromkeys(NAMES, b"new")
    assert {os.stat(file).st_gid for file in files} == {group}


@pytest.mark.parametrize("forged", [b"{}\n0123\nstaged\n", b"\xff\n" * 3])
def test_a_journal_that_is_not_ours_is_left_alone(forged: bytes, files: dict[str, bytes], tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(forged)
    with pytest.raises(UserError, match="no journal that a run of yours left") as raised:
        write_files(files)
    assert raised.value.file == str(tmp_path / NAME)
    assert (tmp_path / NAME).read_bytes() == forged
    os.unlink(tmp_path / NAME)
    assert_old(tmp_path)


def test_a_journal_that_is_a_link_leads_nowhere(files: dict[str, bytes], tmp_path: Path) -> None:
    target = tmp_path / "a.py"
    (tmp_path / NAME).symlink_to(target)
    with pytest.raises(UserError, match="no journal"):
        write_files(files)
    assert target.read_bytes() == b"old a.py"


def test_another_run_is_waited_for(files: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pdt_annotate.writes.transaction.PATIENCE", 0.05)
    path = str(tmp_path / NAME)
    handle = lock.create(path)
    with pytest.raises(UserError, match="another run of pdt-annotate is writing here"):
        write_files(files)
    lock.remove(handle, path)
    assert_old(tmp_path)
    write_files(files)
    assert held(tmp_path) == dict.fromkeys(NAMES, b"new")


def test_the_mode_stays(files: dict[str, bytes], tmp_path: Path) -> None:
    os.chmod(tmp_path / "a.py", 0o751)
    write_files(files)
    assert stat.S_IMODE((tmp_path / "a.py").stat().st_mode) == 0o751
