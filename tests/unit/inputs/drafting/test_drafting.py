"""Drafts as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from drafted import IMPORTS, write

from pdt_annotate.inputs.drafting import Blank, draft
from pdt_annotate.inputs.target import parse
from pdt_annotate.values.errors import TargetError

NET = f"""{IMPORTS}class Net(nn.Module):
    def __init__(self%s):
        pass
    def forward(self, x, y=None):
        pass
"""


def test_a_file_that_cannot_be_imported_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"my-net.py": NET % ", n", "easy-net.py": NET % ""})
    monkeypatch.chdir(tmp_path)
    assert "def model" not in draft(parse("easy-net.py:Net"), str(tmp_path), "inputs.py").text
    with pytest.raises(TargetError, match="cannot import this file"):
        draft(parse("my-net.py:Net"), str(tmp_path), "inputs.py")


def test_blanks_have_the_lines_of_the_draft(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"net.py": NET % ", n"})
    monkeypatch.chdir(tmp_path)
    made = draft(parse("net:Net"), str(tmp_path), "inputs.py")
    assert [blank.name for blank in made.blanks] == ["n", "x", "y"]
    lines = made.text.splitlines()
    assert all(f'{blank.name} = fill_in("{blank.name}"' in lines[blank.line - 1] for blank in made.blanks)
    assert isinstance(made.blanks[0], Blank)


def test_nothing_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = "raise SystemExit('imported')\n"
    write(tmp_path, {"net.py": bomb + NET % "", "test_net.py": bomb + "from net import Net\nNet()(3)\n"})
    monkeypatch.chdir(tmp_path)
    assert "x = 3  # as in test_net.py:3" in draft(parse("net:Net"), str(tmp_path), "inputs.py").text
