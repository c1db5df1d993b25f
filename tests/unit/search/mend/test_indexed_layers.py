"""Loops over the indices of lists of layers."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import pytest
from mended import Mended, held

from pdt_annotate.search.mend.construction import LISTS
from pdt_annotate.search.mend.indexed_layers import RULE
from pdt_annotate.values.mends import Held, HeldValue, MendKind

MODULE = """\
class Net(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.convs = make(n)
        self.norms = make(n)
        self.fewer = make(1)

    def forward(self, x):
{}        return x
"""
THREE = Held((HeldValue(LISTS[0], length=3, items=("Linear",)),))
ONE = Held((HeldValue(LISTS[0], length=1, items=("Linear",)),))
HELD = {"convs": THREE, "norms": THREE, "fewer": ONE, "n": held("3"), "m": held("2"), "sizes": held("1")}


def module(body: str) -> str:
    return MODULE.format(indent(body, " " * 8) + "\n")


def mended(folder: Path, body: str) -> Mended:
    return Mended(folder, module(body), {"Net": HELD})


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(len(x)):\n    x = self.convs[i](x)",
        "for i in range(self.m):\n    x = self.convs[i](x)",
        "for i in range(2):\n    x = self.convs[i](x)",
        "for i in range(1, len(self.convs)):\n    x = self.convs[i](x)",
        "for i in range(len(self.convs)):\n    x = self.fewer[i](x)",
        "for i in range(len(self.convs)):\n    x = self.sizes[i] + x",
        "for i in range(len(self.convs)):\n    x = self.convs[i - 1](x)",
        "for i in range(len(self.convs)):\n    i = 0\n    x = self.convs[i](x)",
        "for i in range(len(self.convs)):\n    x = self.convs[i](x)\n    break",
        "for i in range(len(self.convs)):\n    self.convs[i] = self.convs[i](x)",
        "for i in range(len(self.convs)):\n    self.convs.append(self.convs[i](x))",
        "x = self.convs[x](x)",
    ],
)
def test_what_is_left_alone(tmp_path: Path, body: str) -> None:
    assert mended(tmp_path, body).apply(RULE) == module(body)


def test_a_length_that_may_change_is_left_alone(tmp_path: Path) -> None:
    source = module("for i in range(self.n):\n    x = self.convs[i](x)") + "\n    def grow(self):\n        self.n = 9\n"
    assert Mended(tmp_path, source, {"Net": HELD}).apply(RULE) == source


@pytest.mark.parametrize(
    ("body", "after"),
    [
        (
            "for i in range(len(self.convs)):\n    x = self.convs[i](x) * i",
            "for i, conv in enumerate(self.convs):\n    x = conv(x) * i",
        ),
        (
            "for i in range(len(self.convs)):\n    for _ in x:\n        break\n    x = self.convs[i](x)",
            "for conv in self.convs:\n    for _ in x:\n        break\n    x = conv(x)",
        ),
        (
            "for i in range(len(self.convs)):\n    x = self.norms[i](self.convs[i](x))",
            "for norm, conv in zip(self.norms, self.convs):\n    x = norm(conv(x))",
        ),
        (
            "x = [self.convs[i](x[i]) for i in range(len(self.norms))]",
            "x = [conv(x[i]) for i, conv in enumerate(self.convs)]",
        ),
        (
            "for i in range(len(self.convs)):\n    x = self.convs[i](x)\nx = x + i",
            "for i, conv in enumerate(self.convs):\n    x = conv(x)\nx = x + i",
        ),
    ],
)
def test_what_is_mended(tmp_path: Path, body: str, after: str) -> None:
    found = mended(tmp_path, body)
    assert {mend.kind for mend in found.find(RULE)} == {MendKind.EXACT}
    assert found.apply(RULE) == module(after)


@pytest.mark.parametrize("bound", ["self.n", "3"])
def test_another_bound_is_asserted_in_the_constructor(tmp_path: Path, bound: str) -> None:
    found = mended(tmp_path, f"for i in range({bound}):\n    x = self.convs[i](x)")
    assert {mend.kind for mend in found.find(RULE)} == {MendKind.FROZEN}
    text = found.apply(RULE)
    assert f"self.convs = make(n)\n        assert len(self.convs) == {bound}\n" in text
    assert "for conv in self.convs:\n            x = conv(x)" in text
