"""Drafts as a whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from drafted import IMPORTS, draft_text, write

from pdt_annotate.inputs.drafting import Blank, draft
from pdt_annotate.inputs.target import parse
from pdt_annotate.values.errors import TargetError

NET = f"""{IMPORTS}class Net(nn.Module):
    def __init__(self%s):
        pass
    def forward(self, x, y=None):
        pass
"""


def test_a_file_that_cannot_be_imported_by_name(project: Path) -> None:
    write(project, {"my-net.py": NET % ", n", "easy-net.py": NET % ""})
    assert "def model" not in draft(parse("easy-net.py:Net"), str(project), "inputs.py").text
    with pytest.raises(TargetError, match="cannot import this file"):
        draft(parse("my-net.py:Net"), str(project), "inputs.py")


def test_blanks_have_the_lines_of_the_draft(project: Path) -> None:
    write(project, {"net.py": NET % ", n"})
    made = draft(parse("net:Net"), str(project), "inputs.py")
    assert [blank.name for blank in made.blanks] == ["n", "x", "y"]
    lines = made.text.splitlines()
    assert all(f'{blank.name} = fill_in("{blank.name}"' in lines[blank.line - 1] for blank in made.blanks)
    assert isinstance(made.blanks[0], Blank)


def test_calls_of_a_model_that_is_constructed_otherwise(project: Path) -> None:
    """What has a shape may not fit the draft's model, so a person has to look at it; the rest is taken."""
    net = NET % ", n" + "def make():\n    return Net(3)\n"
    test = "import torch, net\nnet.make()(torch.ones(3))\nnet.Net(4)(torch.ones(4), torch.zeros(4))\n"
    write(project, {"net.py": net, "test_net.py": test})
    made = draft(parse("net:make"), str(project), "inputs.py")
    assert [blank.name for blank in made.blanks] == ["y"]
    assert 'y = fill_in("y")  # None by default; test_net.py:3:1 passes torch.zeros(4)' in made.text


def test_the_construction_is_that_whose_calls_show_most(project: Path) -> None:
    test = "from net import Net\nNet(1)(3)\nNet(1)(4)\nNet(2)(5, y=6)\n"
    write(project, {"net.py": NET % ", n", "test_net.py": test})
    made = draft(parse("net:Net"), str(project), "inputs.py")
    assert not made.blanks
    assert "return Net(2)" in made.text


def test_what_a_factory_returns_is_called_as_the_project_does(project: Path) -> None:
    test = "import torch\nfrom net import make\ndef test_it():\n    net = make()\n    net(torch.ones(3), y=4)\n"
    write(project, {"net.py": "def make():\n    return unknown(3)\n", "test_net.py": test})
    made = draft(parse("net:make"), str(project), "inputs.py")
    assert made.text.endswith('    yield Call((torch.ones(3),), {"y": 4}, name="test_it")\n')
    assert "import torch\n" in made.text and not made.blanks


def test_nothing_is_imported(project: Path) -> None:
    bomb = "raise SystemExit('imported')\n"
    write(project, {"net.py": bomb + NET % "", "test_net.py": bomb + "from net import Net\nNet()(3)\n"})
    assert "x = 3  # as in test_net.py:3" in draft(parse("net:Net"), str(project), "inputs.py").text


LAID_OUT = f"""{IMPORTS}class Net(nn.Module):
    def __init__(self, config, *, depth=1):
        super().__init__()
    def forward(self, x, mask=None, scale=1.0):
        return x
"""
TEST = """
import math
import numpy as np
import torch as th
from pkg import Net
from pkg.config import Config, DEFAULT

def test_it():
    net = Net(Config(DEFAULT), depth=2)
    net(th.randn(2, 3), mask=None)
    net(th.from_numpy(np.full((2, 3), math.pi, dtype="float32")), mask=th.ones(2, 3, dtype=th.bool), scale=2.0)
"""
EXPECTED = '''"""Example calls for `pdt-annotate pkg:Net -i inputs.py`; drafted by `pdt-annotate init`."""

import math

import numpy as np
import torch

from pdt_annotate import Call

from pkg import Net
from pkg.config import Config, DEFAULT


def model():
    # as in tests/test_net.py:9:11
    return Net(Config(DEFAULT), depth=2)


def calls():
    x = torch.randn(2, 3)  # as in tests/test_net.py:10:5
    mask = None  # as in tests/test_net.py:10:5
    yield Call((x,), {"mask": mask}, name="test_it")
    # as in tests/test_net.py:11:5
    yield Call(
        (torch.from_numpy(np.full((2, 3), math.pi, dtype='float32')),),
        {"mask": torch.ones(2, 3, dtype=torch.bool), "scale": 2.0},
        name="test_it 2",
    )
    yield Call((torch.randn(2, 3),), {"mask": None}, name="held back", held_back=True)
'''


def test_layout(project: Path) -> None:
    config = "DEFAULT = 3\nclass Config:\n    def __init__(self, width):\n        self.width = width\n"
    files = {"pkg/__init__.py": "from .net import Net\n", "pkg/net.py": LAID_OUT, "pkg/config.py": config}
    write(project, files | {"tests/test_net.py": TEST})
    assert draft_text(project, "pkg:Net") == EXPECTED


def test_a_nested_class_is_reached_from_its_outermost(project: Path) -> None:
    outer = f"{IMPORTS}class Outer:\n    class Net(nn.Module):\n        def __init__(self, n):\n            pass\n"
    write(project, {"net.py": outer, "test_net.py": "from net import Outer\nOuter.Net(3)\n"})
    text = draft_text(project, "net:Outer.Net")
    assert "from net import Outer\n" in text
    assert "    return Outer.Net(3)\n" in text
