"""What is installed, and what is the project's."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdt_annotate.values.installed import is_environment, is_installed, is_own


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with an environment of each kind in it."""
    for mark in ("env/pyvenv.cfg", "tools/nested/pyvenv.cfg", "conda/conda-meta/history", "src/pkg/mod.py"):
        (tmp_path / mark).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / mark).write_text("")
    return tmp_path


@pytest.mark.parametrize("path", ["src/pkg/mod.py", "main.py", "tools/build.py", "site_packages/x.py", "gone/x.py"])
def test_own_files(root: Path, path: str) -> None:
    assert not is_installed(str(root / path), str(root))
    assert is_own(str(root / path), str(root))


INSTALLED = """
    env/lib/python3.11/site-packages/pkg/mod.py env/bin/activate_this.py env/src/editable/mod.py
    tools/nested/share/x.py conda/lib/python3.11/os.py elsewhere/site-packages/x.py
    usr/lib/python3/dist-packages/x.py __pypackages__/3.11/lib/x.py
"""


@pytest.mark.parametrize("path", INSTALLED.split())
def test_what_lies_in_an_environment_of_the_project(root: Path, path: str) -> None:
    assert is_installed(str(root / path), str(root))
    assert not is_own(str(root / path), str(root))


def test_only_folders_below_the_root_count(root: Path) -> None:
    """A project may lie in an environment, be one at its top, and even be an installed package."""
    assert is_own(str(root / "env/src/mine/mod.py"), str(root / "env/src/mine"))
    assert is_own(str(root / "env/mod.py"), str(root / "env"))
    package = root / "env/lib/site-packages/pkg"
    assert is_own(str(package / "mod.py"), str(package))
    assert is_installed(str(package / "vendor/site-packages/x.py"), str(package))


def test_elsewhere_and_without_a_root_the_name_of_the_folder_tells(root: Path) -> None:
    assert is_installed("/usr/lib/python3/dist-packages/x.py", str(root))
    assert is_installed("/opt/venv/lib/python3.11/site-packages/x.py")
    assert not is_installed("/home/me/project/x.py", str(root)) and not is_own("/home/me/project/x.py", str(root))


def test_environments(root: Path) -> None:
    assert is_environment(str(root / "env")) and is_environment(str(root / "conda"))
    assert not is_environment(str(root)) and not is_environment(str(root / "src"))
