"""Paths as they are shown, on this platform and as on Windows."""

from __future__ import annotations

import ntpath
import os
from pathlib import Path

import pytest

from pdt_annotate.values.paths import find_way_out, is_of_others, lies_in, named_from, read_bounded, real_path


def test_from_here_and_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert named_from(str(tmp_path / "a" / "b.py")) == "a/b.py"
    assert named_from(str(tmp_path / "b.py"), str(tmp_path / "a")) == "../b.py"


@pytest.mark.parametrize(("path", "named"), [(r"D:\work\pkg\model.py", "pkg/model.py"), (r"C:\m.py", "C:/m.py")])
def test_on_windows(path: str, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, "path", ntpath)
        patch.setattr(os, "sep", "\\")
        assert named_from(path, r"D:\work") == named


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """With links in it: within, out, to a file outside, and to a link."""
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    links = {"within": "sub", "out": "../outside", "sub/new": "../../outside/new", "sub/twice": "../out"}
    for name, target in links.items():
        (root / name).symlink_to(target)
    monkeypatch.chdir(root)
    return root


@pytest.mark.parametrize("path", ["x", "no/such/place", "within/x", "sub/../x", "../project/sub/x", "/elsewhere"])
def test_what_stays_or_begins_outside_has_no_way_out(path: str, project: Path) -> None:
    assert find_way_out(path, str(project)) == ""
    assert find_way_out("../outside/new", str(project)) == ""
    assert lies_in(path, str(project)) == (path != "/elsewhere")


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("out", "out"),
        ("out/new", "out"),
        ("sub/new", "sub/new"),
        ("within/twice/x", "sub/twice"),
        ("../project/out/x", "out"),
        ("out/../project/x", "out"),
    ],
)
def test_a_link_that_leads_out_is_found(path: str, link: str, project: Path) -> None:
    assert find_way_out(path, str(project)) == str(project / link)
    assert find_way_out(str(project / path), str(project)) == str(project / link)


@pytest.mark.parametrize("path", ["a/b", "link/b", "a/up/x", "loop", "a/../link/b", "a/./b/", "none/b", "a/up/../up/a"])
def test_real_paths_are_those_of_the_system(path: str, tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    for link, target in (("link", "a"), ("a/up", ".."), ("loop", "loop")):
        (tmp_path / link).symlink_to(target)
    assert [real_path(f"{tmp_path}/{path}") for _ in range(2)] == [os.path.realpath(tmp_path / path)] * 2
    assert real_path(os.sep) == os.sep


def test_a_neighbour_with_a_longer_name_is_outside(project: Path) -> None:
    assert not lies_in(f"{project}-more/x", str(project))
    assert lies_in(str(project), str(project))


def test_what_anybody_may_write_is_of_others(project: Path) -> None:
    assert not is_of_others(str(project))
    project.chmod(0o777)
    assert is_of_others(str(project))


def test_a_file_is_read_to_a_bound_and_a_pipe_is_not(project: Path) -> None:
    (project / "file").write_bytes(b"four")
    assert read_bounded(str(project / "file"), 4) == b"four"
    with pytest.raises(OSError, match="longer"):
        read_bounded(str(project / "file"), 3)
    os.mkfifo(project / "pipe")
    with pytest.raises(OSError, match="no regular file"):
        read_bounded(str(project / "pipe"), 4)
