"""Declarations of locals without a value."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend import bare_declarations


def mended(folder: Path, source: str) -> str:
    return Mended(folder, source).apply(bare_declarations.RULE)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(x):\n    y: int = 1\n    return y\n", id="with a value"),
        pytest.param("y = 1\n\n\ndef f(x):\n    y: int\n    return x\n", id="that alone makes the name a local"),
        pytest.param("def f(x):\n    if x:\n        y: int\n    y = 1\n    return y\n", id="alone in a body"),
        pytest.param("def f(x):\n    x.y: int\n    x.y = 1\n    return x\n", id="of an attribute"),
        pytest.param("class C:\n    y: int\n\n    def f(self):\n        return self.y\n", id="of a class"),
    ],
)
def test_left_alone(tmp_path: Path, source: str) -> None:
    assert mended(tmp_path, source) == source


def test_a_declaration_goes_and_the_assignment_stays(tmp_path: Path) -> None:
    source = "def f(x):\n    # a size\n    y: int\n    if x:\n        y = 1\n    else:\n        y = 2\n    return y\n"
    assert mended(tmp_path, source) == source.replace("    y: int\n", "")
