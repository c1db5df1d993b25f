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


def test_calls_of_a_model_that_is_constructed_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What has a shape may not fit the draft's model, so a person has to look at it; the rest is taken."""
    net = NET % ", n" + "def make():\n    return Net(3)\n"
    test = "import torch, net\nnet.make()(torch.ones(3))\nnet.Net(4)(torch.ones(4), torch.zeros(4))\n"
    write(tmp_path, {"net.py": net, "test_net.py": test})
    monkeypatch.chdir(tmp_path)
    made = draft(parse("net:make"), str(tmp_path), "inputs.py")
    assert [blank.name for blank in made.blanks] == ["y"]
    assert 'y = fill_in("y")  # None by default; test_net.py:3:1 passes torch.zeros(4)' in made.text


def test_the_construction_is_that_whose_calls_show_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = "from net import Net\nNet(1)(3)\nNet(1)(4)\nNet(2)(5, y=6)\n"
    write(tmp_path, {"net.py": NET % ", n", "test_net.py": test})
    monkeypatch.chdir(tmp_path)
    made = draft(parse("net:Net"), str(tmp_path), "inputs.py")
    assert not made.blanks
    assert "return Net(2)" in made.text


def test_what_a_factory_returns_is_called_as_the_project_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    test = "import torch\nfrom net import make\ndef test_it():\n    net = make()\n    net(torch.ones(3), y=4)\n"
    write(tmp_path, {"net.py": "def make():\n    return unknown(3)\n", "test_net.py": test})
    monkeypatch.chdir(tmp_path)
    made = draft(parse("net:make"), str(tmp_path), "inputs.py")
    assert made.text.endswith('    yield Call((torch.ones(3),), {"y": 4}, name="test_it")\n')
    assert "import torch\n" in made.text and not made.blanks


def test_nothing_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bomb = "raise SystemExit('imported')\n"
    write(tmp_path, {"net.py": bomb + NET % "", "test_net.py": bomb + "from net import Net\nNet()(3)\n"})
    monkeypatch.chdir(tmp_path)
    assert "x = 3  # as in test_net.py:3" in draft(parse("net:Net"), str(tmp_path), "inputs.py").text
