"""What makes a state another one, and what does not."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pdt_annotate.cache import state, store


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "data").mkdir()
    for name in ("pkg/__init__.py", "pkg/model.py", "data/one.txt"):
        (tmp_path / name).write_text(name)
    return tmp_path


def take(project: Path) -> dict[str, list[str]]:
    root, package = str(project), str(project / "pkg")
    return state.take(
        files=[f"{package}/__init__.py", f"{package}/model.py"],
        names=[(root, "pkg"), (root, "extra"), (package, "model"), (package, "__init__")],
        listed=[str(project / "data")],
    )


def touch_all(project: Path) -> None:
    for file in project.rglob("*.py"):
        os.utime(file, (1, 1))


Change = Callable[[Path], object]

HARMLESS: dict[str, Change] = {
    "nothing": lambda p: None,
    "times": touch_all,
    "an unrelated module": lambda p: (p / "setup.py").touch(),
    "an unrelated file of a package": lambda p: (p / "pkg/notes.txt").touch(),
    "an unrelated module of a package": lambda p: (p / "pkg/other.py").touch(),
    "bytecode": lambda p: (p / "pkg/__pycache__").mkdir(),
    "bytecode beside data": lambda p: (p / "data/__pycache__").mkdir(),
    "the cache": lambda p: store.write(str(p / "data"), "entries", "a", {}),
    "a data file's content that was not read": lambda p: (p / "data/one.txt").write_text("other"),
}

HARMFUL: dict[str, Change] = {
    "content of the same length": lambda p: (p / "pkg/model.py").write_text("PKG/model.py"),
    "a deleted file": lambda p: (p / "pkg/model.py").unlink(),
    "a deleted package": lambda p: shutil.rmtree(p / "pkg"),
    "a package in the place of a module": lambda p: (p / "pkg/model").mkdir(),
    "a module in the place of a package": lambda p: (p / "pkg.py").touch(),
    "an extension in the place of a module": lambda p: (p / "pkg/model.abi3.so").touch(),
    "a module that was not there": lambda p: (p / "extra.py").touch(),
    "a new file where a directory was listed": lambda p: (p / "data/two.txt").touch(),
    "a deleted file where a directory was listed": lambda p: (p / "data/one.txt").unlink(),
}


@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_this_changes_nothing(change: Change, project: Path) -> None:
    taken = take(project)
    change(project)
    assert state.is_current(taken)


@pytest.mark.parametrize("change", HARMFUL.values(), ids=HARMFUL)
def test_this_does(change: Change, project: Path) -> None:
    taken = take(project)
    change(project)
    assert not state.is_current(taken)


def test_what_is_no_state_is_not_current() -> None:
    assert not state.is_current({})
    assert not state.is_current({"said": ["all is well"], "file": []})


def test_a_state_tells_what_it_was_taken_of(project: Path) -> None:
    taken = take(project)
    package = str(project / "pkg")
    assert list(state.files_in(taken)) == [f"{package}/__init__.py", f"{package}/model.py"]
    assert set(state.names_in(taken)) >= {(str(project), "extra"), (package, "__init__")}
    assert list(state.listed_in(taken)) == [str(project / "data")]


def test_a_file_that_is_missing_may_stay_missing(tmp_path: Path) -> None:
    taken = state.take([str(tmp_path / "pyproject.toml")])
    assert state.is_current(taken)
    (tmp_path / "pyproject.toml").touch()
    assert not state.is_current(taken)


def test_a_directory_is_not_a_missing_file(tmp_path: Path) -> None:
    taken = state.take([str(tmp_path / ".git")])
    (tmp_path / ".git").mkdir()
    assert not state.is_current(taken)


def test_a_file_may_be_taken_for_another_content(project: Path) -> None:
    file = project / "pkg/model.py"
    taken = state.take([str(file)], contents={str(file): b"annotated"})
    assert not state.is_current(taken)
    file.write_bytes(b"annotated")
    assert state.is_current(taken)
