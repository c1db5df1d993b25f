"""The published files: the files next to the package, the archives, and their metadata."""

import email
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import release
from kept_overlay_programs import run
from repository import ROOT
from tool import write

from pdt_annotate.values.version import HOMEPAGE, __version__

VERSION = "pdt_annotate/values/version.py"
START = "pdt_annotate_overlay.pth"
NOT_BUILT_FROM = (
    *(".git", ".venv", ".*_cache", ".coverage*", ".hypothesis"),
    *("__pycache__", "build", "dist", "*.egg-info"),
)


def test_the_start_of_overlays_is_at_the_root_of_an_editable_wheel_too(tmp_path: Path) -> None:
    pytest.importorskip(
        "setuptools", minversion="77", reason="setuptools >= 77 is missing, which the extra `dev` installs"
    )
    for name in ("pyproject.toml", "setup.py", START, "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    write(tmp_path, {"pdt_annotate/__init__.py": "", VERSION: (ROOT / VERSION).read_text(), "other/__init__.py": ""})
    source = "import setuptools.build_meta as backend\nbackend.build_editable('out')"
    done = subprocess.run([sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = (tmp_path / "out").glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read(START) == (ROOT / START).read_bytes()


@pytest.mark.parametrize(("environment", "loaded"), [({}, "False"), ({"PDT_ANNOTATE_OVERLAY": "kept"}, "True")])
def test_it_does_nothing_unless_an_overlay_is_named(environment: dict[str, str], loaded: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / START, tmp_path)
    source = f"import site, sys\nsite.addsitedir({os.fspath(tmp_path)!r})\nprint('pdt_annotate' in sys.modules)"
    ended = run(source, ROOT, cwd=tmp_path, **environment)
    assert (ended.code, ended.stdout.strip(), ended.stderr) == (0, loaded, "")


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist of the current tree, and the wheel that is built from it."""
    tree = tmp_path_factory.mktemp("tree") / "pdt-annotate"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*NOT_BUILT_FROM))
    return release.build(tree, tmp_path_factory.mktemp("dist"))


def test_the_index_shows_who_made_it_for_whom_and_where_links_lead(archives: tuple[Path, Path]) -> None:
    release.check_metadata(*archives)
    changelog = (ROOT / "CHANGELOG.md").read_text()
    assert release.note_of(__version__, changelog).strip()
    with pytest.raises(release.ReleaseError, match="Unreleased"):
        release.note_of("99.0.0", changelog)
    with zipfile.ZipFile(archives[1]) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
        assert archive.read(START) == (ROOT / START).read_bytes()
    links = re.findall(r"\]\(([^)\s]+)\)", str(metadata.get_payload()))
    there = f"{HOMEPAGE}/blob/v{__version__}/"
    assert all(link.startswith(("https://", "#")) for link in links), links
    assert [link for link in links if link.startswith(there)]
    assert all((ROOT / link.removeprefix(there).partition("#")[0]).exists() for link in links if link.startswith(there))
    assert all(metadata[field] for field in ("Author", "Keywords", "License-Expression", "Requires-Python"))
    assert metadata.get_all("Classifier")
    urls = dict(url.split(", ", 1) for url in metadata.get_all("Project-URL", ()))
    assert urls.keys() >= {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    assert all(url.startswith(HOMEPAGE) for url in urls.values())


def test_the_wheel_runs_in_a_clean_environment(archives: tuple[Path, Path], tmp_path: Path) -> None:
    python = release.install(archives[1], tmp_path / "venv", "--quiet", "--no-deps", "--no-index")
    lent = [entry for entry in sys.path if "site-packages" in entry]
    (site,) = (tmp_path / "venv").glob("[Ll]ib/**/site-packages")
    (site / "lent.pth").write_text("\n".join(lent))
    write(
        tmp_path, {"model.py": "def f(x, k):\n    return x * k\n", "spec.yaml": "calls:\n- args: [{tensor: [2]}, 3]\n"}
    )
    words = ["model.py:f", "-i", "spec.yaml", "--no-probe", "--diff", "--html", "page.html"]
    command = [str(python.parent / "pdt-annotate"), *words]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:4]) == (0, "--- "), done.stderr
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>"), "its templates are in the wheel"
    where = "import pdt_annotate; print(pdt_annotate.__file__)"
    imported = subprocess.run(
        [python, "-c", where], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert Path(imported.stdout.strip()).is_relative_to(site)


def test_the_sdist_runs_its_own_tests(archives: tuple[Path, Path], tmp_path: Path) -> None:
    tree = release.unpack(archives[0], tmp_path)
    release.run_tests(tree, "tests/unit/test_mirror.py")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    # The files in the repository. An sdist is not a repository, so there are none.
    assert not (set(listed.stdout.splitlines()) - {path.relative_to(tree).as_posix() for path in tree.rglob("*")})
