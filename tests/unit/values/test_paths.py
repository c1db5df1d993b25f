"""Paths as they are shown, on this platform and as on Windows."""

from __future__ import annotations

import ntpath
import os
from pathlib import Path

import pytest

from pdt_annotate.values.paths import named_from


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
