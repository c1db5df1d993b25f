"""What could be named as a target, read off the sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdt_annotate.inputs.target_names import names_in, places


@pytest.mark.parametrize(
    "hidden",
    ["notes.txt", ".hidden/model.py", "__pycache__/model.py", "env/lib/model.py"],
)
def test_what_is_no_module_is_not_listed(hidden: str, tmp_path: Path) -> None:
    file = tmp_path / hidden
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    (tmp_path / "env").mkdir(exist_ok=True)
    (tmp_path / "env" / "pyvenv.cfg").touch()
    assert list(places(tmp_path)) == []


def test_modules_and_files(tmp_path: Path) -> None:
    for name in ("model.py", "with-dash.py", "pkg/__init__.py", "pkg/net.py", "src/inner/deep.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = list(places(tmp_path))
    assert {"model", "pkg", "pkg.net", "inner.deep", "model.py", "with-dash.py", "src/inner/deep.py"} <= set(found)
    assert "with-dash" not in found


def test_names(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "X = 1\nclass Net:\n    def __init__(self): pass\n    def forward(self): pass\n\nasync def go(): pass\n"
    )
    for place in ("model", "model.py"):
        assert list(names_in(place, tmp_path)) == ["Net", "Net.forward", "go"]


@pytest.mark.parametrize("text", ["def (", "\0", None])
def test_no_names_where_nothing_can_be_read(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "model.py").write_text(text)
    assert list(names_in("model", tmp_path)) == []
