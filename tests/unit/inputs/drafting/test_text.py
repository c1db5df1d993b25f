"""How a draft is laid out."""

from __future__ import annotations

from pathlib import Path

import pytest
from drafted import IMPORTS, draft_text, write

NET = f"""{IMPORTS}class Net(nn.Module):
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


def test_layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = "DEFAULT = 3\nclass Config:\n    def __init__(self, width):\n        self.width = width\n"
    files = {"pkg/__init__.py": "from .net import Net\n", "pkg/net.py": NET, "pkg/config.py": config}
    write(tmp_path, files | {"tests/test_net.py": TEST})
    monkeypatch.chdir(tmp_path)
    assert draft_text(tmp_path, "pkg:Net") == EXPECTED


def test_a_nested_class_is_reached_from_its_outermost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outer = f"{IMPORTS}class Outer:\n    class Net(nn.Module):\n        def __init__(self, n):\n            pass\n"
    write(tmp_path, {"net.py": outer, "test_net.py": "from net import Outer\nOuter.Net(3)\n"})
    monkeypatch.chdir(tmp_path)
    text = draft_text(tmp_path, "net:Outer.Net")
    assert "from net import Outer\n" in text
    assert "    return Outer.Net(3)\n" in text
