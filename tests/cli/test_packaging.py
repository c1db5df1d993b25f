"""What is installed beside the package: the file that serves overlays from the start of the interpreter."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from kept_overlay_programs import run, write
from repository import ROOT

START = "pdt_annotate_overlay.pth"
BUILT = ("pyproject.toml", "setup.py", START, "README.md", "LICENSE")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """What a build needs, without the package's modules but its face."""
    for name in BUILT:
        shutil.copy(ROOT / name, tmp_path)
    return write(tmp_path, {"pdt_annotate/__init__.py": "", "other/__init__.py": ""})


@pytest.mark.parametrize("build", ["build_wheel", "build_editable"])
def test_it_is_at_the_root_of_every_wheel(build: str, tree: Path) -> None:
    pytest.importorskip("setuptools", minversion="77")
    source = f"import setuptools.build_meta as backend\nbackend.{build}('out')"
    done = subprocess.run([sys.executable, "-c", source], cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tree / "out").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read(START) == (ROOT / START).read_bytes()


@pytest.mark.parametrize(("environment", "loaded"), [({}, "False"), ({"PDT_ANNOTATE_OVERLAY": "kept"}, "True")])
def test_it_does_nothing_unless_an_overlay_is_named(environment: dict[str, str], loaded: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / START, tmp_path)
    source = f"import site, sys\nsite.addsitedir({os.fspath(tmp_path)!r})\nprint('pdt_annotate' in sys.modules)"
    ended = run(source, ROOT, cwd=tmp_path, **environment)
    assert (ended.code, ended.stdout.strip(), ended.stderr) == (0, loaded, "")
