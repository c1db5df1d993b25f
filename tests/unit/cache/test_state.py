"""What makes a state or the surroundings others, and what does not."""

from __future__ import annotations

import os
import shutil
import sys
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


def take(project: Path) -> state.State:
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
    "the cache": lambda p: store.keep(str(p / "data"), store.ENTRIES, "a", {}),
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


def test_a_state_of_no_file_is_not_current() -> None:
    assert not state.is_current(state.take([]))


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


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `site-packages` of its own, the only one on the path."""
    directory = tmp_path / "site-packages"
    (directory / "torch-2.13.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(directory)])
    monkeypatch.chdir(tmp_path)
    return directory


def test_they_stay_the_same(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = state.describe()
    monkeypatch.setenv("PRE_COMMIT", "1")
    (libraries / "some_module.py").touch()
    (libraries.parent / "own.egg-info").mkdir()
    assert state.describe() == before


@pytest.mark.parametrize(
    ("name", "value"),
    [("PYTHONPATH", "lib"), ("PDT_ANNOTATE_OVERLAY", "typed"), ("PYTORCH_JIT", "0"), ("TORCH_LOGS", "all")],
)
def test_a_variable_decides(name: str, value: str, libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name, raising=False)
    before = state.describe()
    monkeypatch.setenv(name, value)
    assert state.describe() != before


def test_another_version_of_a_package_decides(libraries: Path) -> None:
    before = state.describe()
    (libraries / "torch-2.13.0.dist-info").rename(libraries / "torch-2.14.0.dist-info")
    assert state.describe() != before


def test_a_path_that_is_no_directory_is_passed_by(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["/missing/site-packages"])
    assert state.describe()


def test_the_tool_and_python_decide(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {state.describe()}
    monkeypatch.setattr(sys, "version", "3.99")
    seen.add(state.describe())
    monkeypatch.setattr(state, "__version__", "99")
    seen.add(state.describe())
    monkeypatch.chdir(libraries)
    seen.add(state.describe())
    assert len(seen) == 4


def test_a_tool_that_is_worked_on_is_another_after_every_change(
    libraries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state, "PACKAGE", str(tmp_path / "worked_on"))
    (tmp_path / "worked_on").mkdir()
    before = state.describe()
    (tmp_path / "worked_on" / "new.py").touch()
    assert state.describe() != before
    monkeypatch.setattr(state, "PACKAGE", str(libraries / "pdt_annotate"))
    before = state.describe()
    (libraries / "pdt_annotate").mkdir()
    (libraries / "pdt_annotate" / "new.py").touch()
    assert state.describe() == before


def test_of_another_python_its_file_its_environment_and_its_packages_decide(libraries: Path) -> None:
    place = libraries.parent
    (place / "python").write_text("")

    def describe() -> str:
        return state.describe_other(str(place / "python"), str(place), [str(libraries)])

    before = describe()
    (libraries / "module.py").touch()
    assert describe() == before
    seen = {before}
    (libraries / "torch-2.13.0.dist-info").rename(libraries / "torch-2.14.0.dist-info")
    seen.add(describe())
    (place / "pyvenv.cfg").write_text("version = 3.12.1")
    seen.add(describe())
    (place / "python").write_text("another")
    seen.add(describe())
    (place / "python").unlink()
    assert len({*seen, describe()}) == 5
