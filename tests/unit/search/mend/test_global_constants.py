"""Constants of a module or class that the compiler does not see."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend import global_constants

CLASS = """\
from typing import Final

{before}


class Net(Module):
    wide = {wide}

    def forward(self, x):
        return x if {test} else x + 1
"""


def mended(folder: Path, source: str) -> str:
    return Mended(folder, source).apply(global_constants.RULE)


@pytest.mark.parametrize(
    ("before", "wide", "test"),
    [
        ("FAST = make()", "True", "FAST"),
        ("FAST = [1]", "True", "FAST"),
        ("FAST = True\n\n\ndef slow():\n    global FAST\n    FAST = False", "True", "FAST"),
        ("for FAST in (1, 2):\n    pass", "True", "FAST"),
        ("from other import FAST", "True", "FAST"),
        ("FAST = True", "True", "self.wide"),
        ("def set(net):\n    net.wide = False", "True", "Net.wide"),
        ("class Other:\n    wide = False", "True", "Net.wide"),
        ("", "make()", "Net.wide"),
    ],
)
def test_left_alone(tmp_path: Path, before: str, wide: str, test: str) -> None:
    source = CLASS.format(before=before, wide=wide, test=test)
    assert mended(tmp_path, source) == source


@pytest.mark.parametrize(
    "source",
    [
        "FAST = True\n\n\ndef f(x, *args):\n    return x if FAST else 0\n",
        "FAST = True\n\n\ndef f(x, fast):\n    return x if FAST else fast\n",
        "FAST = True\n\n\ndef f(x):\n    FAST = x\n    return FAST\n",
        "def f(x):\n    return x if FAST else 0\n\n\nFAST = True\n",
    ],
)
def test_functions_left_alone(tmp_path: Path, source: str) -> None:
    assert mended(tmp_path, source) == source


def test_a_constant_of_the_module_becomes_one_of_the_class(tmp_path: Path) -> None:
    before = "try:\n    FAST = True\nexcept ImportError:\n    FAST = False"
    source = CLASS.format(before=before, wide="True", test="FAST and not FAST")
    new = source.replace("FAST and not FAST", "self._fast and not self._fast")
    new = new.replace("class Net(Module):\n", "class Net(Module):\n    _fast: Final[bool] = FAST\n\n")
    assert mended(tmp_path, source) == new


def test_a_constant_of_the_class_by_name_becomes_one_of_the_object(tmp_path: Path) -> None:
    source = CLASS.format(before="", wide="True", test="Net.wide")
    assert mended(tmp_path, source) == source.replace("Net.wide", "self.wide").replace("wide =", "wide: Final[bool] =")


def test_a_constant_of_the_module_becomes_a_parameter(tmp_path: Path) -> None:
    source = "EPSILON = 1e-8\n\n\ndef f(x, y=(1, 2)):\n    return x + EPSILON * EPSILON\n"
    new = source.replace("EPSILON * EPSILON", "epsilon * epsilon").replace("(1, 2)", "(1, 2), epsilon=EPSILON")
    assert mended(tmp_path, source) == new
