"""What decides a result beside the project's own files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from pdt_annotate.cache import surroundings


@pytest.fixture
def libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `site-packages` of its own, the only one on the path."""
    directory = tmp_path / "site-packages"
    (directory / "torch-2.13.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [str(tmp_path), str(directory)])
    monkeypatch.chdir(tmp_path)
    return directory


def test_they_stay_the_same(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = surroundings.describe()
    monkeypatch.setenv("PRE_COMMIT", "1")
    (libraries / "some_module.py").touch()
    (libraries.parent / "own.egg-info").mkdir()
    assert surroundings.describe() == before


@pytest.mark.parametrize(
    ("name", "value"),
    [("PYTHONPATH", "lib"), ("PDT_ANNOTATE_OVERLAY", "typed"), ("PYTORCH_JIT", "0"), ("TORCH_LOGS", "all")],
)
def test_a_variable_decides(name: str, value: str, libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(name, raising=False)
    before = surroundings.describe()
    monkeypatch.setenv(name, value)
    assert surroundings.describe() != before


def test_another_version_of_a_package_decides(libraries: Path) -> None:
    before = surroundings.describe()
    (libraries / "torch-2.13.0.dist-info").rename(libraries / "torch-2.14.0.dist-info")
    assert surroundings.describe() != before


def test_a_path_that_is_no_directory_is_passed_by(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", ["/missing/site-packages"])
    assert surroundings.describe()


def test_the_tool_and_python_decide(libraries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {surroundings.describe()}
    monkeypatch.setattr(sys, "version", "3.99")
    seen.add(surroundings.describe())
    monkeypatch.setattr(surroundings, "__version__", "99")
    seen.add(surroundings.describe())
    monkeypatch.chdir(libraries)
    seen.add(surroundings.describe())
    assert len(seen) == 4


def test_a_tool_that_is_worked_on_is_another_after_every_change(
    libraries: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surroundings, "PACKAGE", str(tmp_path / "worked_on"))
    (tmp_path / "worked_on").mkdir()
    before = surroundings.describe()
    (tmp_path / "worked_on" / "new.py").touch()
    assert surroundings.describe() != before
    monkeypatch.setattr(surroundings, "PACKAGE", str(libraries / "pdt_annotate"))
    before = surroundings.describe()
    (libraries / "pdt_annotate").mkdir()
    (libraries / "pdt_annotate" / "new.py").touch()
    assert surroundings.describe() == before


def test_of_another_python_its_file_its_environment_and_its_packages_decide(libraries: Path) -> None:
    place = libraries.parent
    (place / "python").write_text("")

    def describe() -> str:
        return surroundings.describe_other(str(place / "python"), str(place), [str(libraries)])

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
