"""Mended sources in modules that are imported already, and out of them again."""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from loaded import load

from pdt_annotate.processes.child.apply import renew
from pdt_annotate.values.errors import UserError

SOURCE = """\
class Net:
    def __init__(self):
        self.n = 1
    def run(self, x, **kwargs):
        return self.n + x
    @staticmethod
    def twice(x):
        return x * 2

def helper(x):
    return Net().run(x)
"""


@pytest.fixture
def module(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[ModuleType]:
    name = f"renewed_{request.node.name}".replace("[", "_").replace("]", "")
    yield load(tmp_path / f"{name}.py", SOURCE)
    del sys.modules[name]


def sources(module: ModuleType, old: str, new: str) -> dict[str, bytes]:
    assert old in SOURCE
    return {str(module.__file__): SOURCE.replace(old, new).encode()}


def test_nothing_is_left_behind(module: ModuleType) -> None:
    before = {**vars(module)}, module.Net.run.__code__, {**vars(module.Net)}
    new = "import math\n\nclass Net:\n    wide: int = 3\n"
    take_back = renew(sources(module, "class Net:\n", new))
    assert module.Net.wide == 3
    assert module.math is importlib.import_module("math")
    assert "import math" in inspect.getsource(module)
    take_back()
    assert ({**vars(module)}, module.Net.run.__code__, {**vars(module.Net)}) == before
    assert inspect.getsource(module) == SOURCE


def test_live_objects_run_the_new_code(module: ModuleType) -> None:
    net = module.Net()
    take_back = renew(sources(module, "return self.n + x", "return self.n - x"))
    assert (net.run(1), module.helper(1), module.Net.twice(2)) == (0, 0, 4)
    assert "self.n - x" in inspect.getsource(module.Net.run)
    take_back()
    assert (net.run(1), module.helper(1)) == (2, 2)


def test_lines_that_move_are_found(module: ModuleType) -> None:
    take_back = renew(sources(module, "        return self.n + x", "        y = x\n        return self.n + y"))
    assert inspect.getsource(module.helper) == "def helper(x):\n    return Net().run(x)\n"
    take_back()


def test_parameters_get_their_defaults(module: ModuleType) -> None:
    take_back = renew(sources(module, "x, **kwargs):\n        return self.n + x", "x, n=5):\n        return n + x"))
    assert module.Net().run(1) == 6
    take_back()
    assert module.Net().run(1, other=2) == 2


@pytest.mark.parametrize("new", ["self.n = 2", "self.n = 1\n        self.m = 2"])
def test_another_constructor_is_refused(module: ModuleType, new: str) -> None:
    with pytest.raises(UserError, match="constructor"):
        renew(sources(module, "self.n = 1", new))
    assert inspect.getsource(module) == SOURCE
    assert module.helper(1) == 2
