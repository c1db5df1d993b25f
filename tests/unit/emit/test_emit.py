"""Files are written all or none, and keep everything but their content."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

import pytest
from outcomes import AFTER, BEFORE, make_outcome

from pdt_annotate.emit import write_in_place
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.writes.transaction import write_files


def emit(outcome: Outcome) -> str:
    target = Target("model.py:Net", "", "", "Net")
    return write_in_place(outcome, Options((target,), SpecSource(), outcome.root), io.BytesIO())


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def test_a_source_outside_the_root_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    outcome = make_outcome(tmp_path)
    linked = tmp_path / "root" / "model.py"
    linked.symlink_to("../model.py")
    change = FileChange(str(linked), outcome.changes[0].before, outcome.changes[0].after)
    with pytest.raises(UserError, match="a link leads out of"):
        emit(Outcome((), str(tmp_path / "root"), (change,)))
    assert (tmp_path / "model.py").read_bytes() == BEFORE
    assert linked.is_symlink()


def test_a_file_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    other = tmp_path / "other.py"
    other.write_bytes(b"a\n")
    outcome = Outcome((), str(tmp_path), (FileChange(str(other), b"a\n", b"b\n"), *outcome.changes))
    (tmp_path / "model.py").write_bytes(b"edited\n")
    with pytest.raises(UserError, match="changed on disk"):
        emit(outcome)
    assert (tmp_path / "model.py").read_bytes() == b"edited\n"
    assert other.read_bytes() == b"a\n"
    assert names(tmp_path) == {"model.py", "other.py"}


def test_a_deleted_file_does_not_come_back(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    (tmp_path / "model.py").unlink()
    with pytest.raises(UserError, match="removed or moved"):
        emit(outcome)
    assert names(tmp_path) == set()


def test_an_unwritable_directory_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.py").write_bytes(b"old")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UserError, match="cannot write"):
        write_files({str(tmp_path / "a.py"): b"new", str(tmp_path / "file" / "b.py"): b"new"})
    assert (tmp_path / "a.py").read_bytes() == b"old"
    assert names(tmp_path) == {"a.py", "file"}


def test_the_mode_stays(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    os.chmod(tmp_path / "model.py", 0o751)
    emit(outcome)
    assert stat.S_IMODE((tmp_path / "model.py").stat().st_mode) == 0o751


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away: run as root")
def test_the_owner_stays(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    os.chown(tmp_path / "model.py", 1234, 2345)
    emit(outcome)
    status = (tmp_path / "model.py").stat()
    assert (status.st_uid, status.st_gid) == (1234, 2345)


def test_a_symlink_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    outcome = make_outcome(real)
    link.symlink_to(real / "model.py")
    emit(Outcome((), str(tmp_path), (FileChange(str(link), BEFORE, AFTER),)))
    assert link.is_symlink()
    assert (real / "model.py").read_bytes() == AFTER == outcome.changes[0].after


def test_a_new_file_gets_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_files({str(tmp_path / "deep" / "new.json"): b"{}"})
    assert (tmp_path / "deep" / "new.json").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_writes_and_says_so(tmp_path: Path) -> None:
    assert emit(make_outcome(tmp_path)) == "wrote 2 annotations into 1 file"
    assert (tmp_path / "model.py").read_bytes() == AFTER
    assert names(tmp_path) == {"model.py"}
