"""What a killed run left is taken back by the next one until it says that it is done, and cleared away from then on."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from pdt_annotate.writes import lock, recovery, swap, transaction
from pdt_annotate.writes.near import NAME
from pdt_annotate.writes.recovery import Recovered, recover_near

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the run that is killed is a fork")

OLD, NEW = {"a.py": b"old", "b.py": b"old"}, {"a.py": b"new", "b.py": b"new", "made/c.py": b"new"}


def held(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def killed(folder: Path, patch: Callable[[], None]) -> None:
    """Write in a process that kills itself, as it was patched to."""
    for name, content in OLD.items():
        (folder / name).write_bytes(content)
    process = os.fork()
    if not process:
        patch()
        transaction.write_files({str(folder / name): content for name, content in NEW.items()})
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == -signal.SIGKILL


def kill_after(module: object, name: str, times: int) -> None:
    """Let the process be killed when a step was made so often."""
    step, made = getattr(module, name), []

    def counted(*given: object, **more: object) -> object:
        came_to = step(*given, **more)
        made.append(name)
        if len(made) == times:
            os.kill(os.getpid(), signal.SIGKILL)
        return came_to

    setattr(module, name, counted)


def test_where_nothing_was_left_nothing_is_done(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"old")
    assert list(recover_near(str(tmp_path))) == []
    assert held(tmp_path) == {"a.py": b"old"}


@pytest.mark.parametrize("can_swap", [True, False])
@pytest.mark.parametrize(("step", "times"), [("stage", 1), ("stage", 3), ("put", 1), ("put", 3)])
def test_until_it_is_done_it_is_taken_back(
    step: str, times: int, can_swap: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not can_swap:
        monkeypatch.setattr(swap, "_find_call", lambda: None)
    killed(tmp_path, lambda: kill_after(transaction, step, times))
    assert (tmp_path / NAME).exists()
    (recovered,) = recover_near(str(tmp_path))
    assert held(tmp_path) == OLD
    assert set(os.listdir(tmp_path)) == set(OLD)
    assert bool(recovered.restored) is (step == "put")


def test_from_then_on_it_is_cleared_away(tmp_path: Path) -> None:
    killed(tmp_path, lambda: kill_after(recovery, "clear", 1))
    assert list(recover_near(str(tmp_path / "made"))) == [Recovered()]
    assert held(tmp_path) == NEW


def test_what_was_edited_since_stays(tmp_path: Path) -> None:
    killed(tmp_path, lambda: kill_after(transaction, "put", 2))
    (tmp_path / "a.py").write_bytes(b"edited")
    (recovered,) = recover_near(str(tmp_path))
    assert held(tmp_path) == {"a.py": b"edited", "b.py": b"old"}
    assert recovered == Recovered((str(tmp_path / "b.py"),), (str(tmp_path / "a.py"),))


def test_a_run_that_lives_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery, "PATIENCE", 0.05)
    path = str(tmp_path / NAME)
    handle = lock.create(path)
    (recovered,) = recover_near(str(tmp_path))
    assert recovered.unrecovered == f"another run is writing in {tmp_path}"
    lock.remove(handle, path)


def test_a_copy_of_a_journal_is_none(tmp_path: Path) -> None:
    """As it would be in a clone, in an archive, in the layer of a container."""
    killed(tmp_path, lambda: kill_after(transaction, "put", 2))
    before = held(tmp_path)
    os.rename(tmp_path / NAME, tmp_path / "aside")
    (tmp_path / NAME).write_bytes((tmp_path / "aside").read_bytes())
    os.unlink(tmp_path / "aside")
    (recovered,) = recover_near(str(tmp_path))
    assert "no journal that a run of yours left" in recovered.unrecovered
    assert held(tmp_path) == before


def test_a_journal_does_not_reach_out_of_its_directory(tmp_path: Path) -> None:
    """Even one with the right seal: it may have been moved."""
    project = tmp_path / "project"
    project.mkdir()
    killed(tmp_path, lambda: kill_after(transaction, "put", 2))
    os.rename(tmp_path / NAME, project / NAME)
    before = held(tmp_path)
    (recovered,) = recover_near(str(project))
    assert "no journal that a run of yours left" in recovered.unrecovered
    assert held(tmp_path) == before
