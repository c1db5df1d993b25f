"""What is told ahead of files that cannot be written."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from pdt_annotate.emit.files import (
    ELSEWHERE,
    assert_led_by_no_link,
    assert_within,
    assert_writable,
    write_document,
)
from pdt_annotate.values.errors import UserError


def test_what_can_be_written_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("as it was")
    for place in ("old", "new", "deep/down/new"):
        assert_writable(str(tmp_path / place), "--html")
    assert os.listdir(tmp_path) == ["old"]
    assert (tmp_path / "old").read_text() == "as it was"


@pytest.mark.parametrize(
    ("place", "reason", "hint"),
    [(".", "Is a directory", "name a file in it"), ("old/new", "Not a directory", "/old is a file")],
)
def test_what_cannot_is_told_with_the_reason(place: str, reason: str, hint: str, tmp_path: Path) -> None:
    (tmp_path / "old").touch()
    with pytest.raises(UserError, match=f"--html cannot be written: {reason}") as raised:
        assert_writable(str(tmp_path / place), "--html")
    assert raised.value.file == str(tmp_path / place)
    assert hint in raised.value.hint


def test_a_result_that_cannot_be_written_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.html").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(UserError, match="cannot write the file: Is a directory") as raised:
        write_document(str(tmp_path / "page.html"), b"an hour's work")
    kept = raised.value.hint.removeprefix("what it was to hold is in ")
    assert Path(kept).name == "page.html"
    assert Path(kept).read_bytes() == b"an hour's work"


def test_where_nothing_can_be_kept_the_reason_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "page.html").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(UserError, match="cannot write the file: Is a directory") as raised:
        write_document(str(tmp_path / "page.html"), b"an hour's work")
    assert raised.value.hint == ELSEWHERE


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "sub").mkdir(parents=True)
    (root / "in").symlink_to("sub")
    (root / "out").symlink_to("..")
    return root


@pytest.mark.parametrize("path", ["x", "sub/x", "in/x", "no/such/x"])
def test_what_stays_may_be_written(path: str, project: Path) -> None:
    assert_within([str(project / path)], str(project))
    assert_led_by_no_link(str(project / path), str(project), "--json")


def test_what_leads_out_is_refused(project: Path) -> None:
    with pytest.raises(UserError, match="a link leads out of"):
        assert_within([str(project / "x"), str(project / "out" / "x")], str(project))
    with pytest.raises(UserError, match=r"--json cannot be written: the link .*out leads out of the project"):
        assert_led_by_no_link(str(project / "out" / "x"), str(project), "--json")


def test_who_names_a_place_outside_gets_it(project: Path, tmp_path: Path) -> None:
    assert_led_by_no_link(str(tmp_path / "x"), str(project), "--json")
