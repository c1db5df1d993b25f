"""From where machine output names files."""

from __future__ import annotations

from pathlib import Path

from pdt_annotate.emit.machine.invocation import choose_base


def test_a_root_elsewhere_stands_for_itself(tmp_path: Path) -> None:
    assert choose_base(str(tmp_path / "a"), str(tmp_path / "b")) == str(tmp_path / "a")
    assert choose_base(str(tmp_path / "project"), str(tmp_path / "pro")) == str(tmp_path / "project")


def test_run_below_the_root_files_are_named_from_the_root(tmp_path: Path) -> None:
    assert choose_base(str(tmp_path), str(tmp_path / "src")) == str(tmp_path)


def test_run_above_the_root_files_are_named_from_there(tmp_path: Path) -> None:
    assert choose_base(str(tmp_path / "project"), str(tmp_path)) == str(tmp_path)
    assert choose_base(str(tmp_path), str(tmp_path)) == str(tmp_path)


def test_symbolic_links_are_seen_through(tmp_path: Path) -> None:
    (tmp_path / "real" / "project").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert choose_base(str(tmp_path / "link" / "project"), str(tmp_path / "real")) == str(tmp_path / "real")
