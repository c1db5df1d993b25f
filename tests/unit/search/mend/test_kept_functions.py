"""Partial functions and lambdas that modules keep."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.kept_functions import RULE
from pdt_annotate.values.mends import MendKind

MODULE = """\
import functools
import torch.nn.functional as F


def loss(x, y, sigma, mode="sum"):
    return x


class Net:
    def __init__(self, sigma, other):
        super().__init__()
        {}
        self.done = True

    def forward(self, x, y):
        return {}
"""
PARTIAL = "self.f = functools.partial(loss, sigma=sigma, mode='mean')"


def find(folder: Path, init: str, value: str, more: str = "") -> Mended:
    return Mended(folder, MODULE.format(init, value) + more)


@pytest.mark.parametrize(
    ("init", "value"),
    [
        ("self.f = functools.partial(other, sigma=sigma)", "self.f(x, y)"),
        ("self.f = functools.partial(loss, sigma=make())", "self.f(x, y)"),
        ("self.f = functools.partial(loss, **other)", "self.f(x, y)"),
        ("self.f = functools.partial(*other)", "self.f(x, y)"),
        (PARTIAL, "self.f(x, **y)"),
        (PARTIAL, "self.f"),
        ("self.f = other(loss, sigma=sigma)", "self.f(x, y)"),
        (PARTIAL + "\n        self.f = loss", "self.f(x, y)"),
        ("if sigma:\n            " + PARTIAL, "self.f(x, y)"),
        ("self.f = lambda x: x * sigma", "self.f(x)"),
        ("self.f = lambda x: x * self.done", "self.f(x)"),
        ("self.f = lambda x, y=sigma: x", "self.f(x)"),
        ("self.f = lambda x: unknown(x)", "self.f(x)"),
    ],
)
def test_what_is_left_alone(tmp_path: Path, init: str, value: str) -> None:
    assert find(tmp_path, init, value).apply(RULE) == MODULE.format(init, value)


def test_what_is_set_later_is_left_alone(tmp_path: Path) -> None:
    more = "\n    def swap(self):\n        self.f = loss\n"
    assert find(tmp_path, PARTIAL, "self.f(x, y)", more).apply(RULE) == MODULE.format(PARTIAL, "self.f(x, y)") + more


@pytest.mark.parametrize(
    ("init", "kept", "value", "after"),
    [
        (PARTIAL, "self._f_sigma = sigma", "self.f(x, y)", "loss(x, y, sigma=self._f_sigma, mode='mean')"),
        (PARTIAL, "self._f_sigma = sigma", "self.f(x, y=y, mode='a')", "loss(x, y=y, mode='a', sigma=self._f_sigma)"),
        (
            "self.f = functools.partial(loss, sigma, mode='mean')",
            "self._f_0 = sigma",
            "self.f(x, y)",
            "loss(self._f_0, x, y, mode='mean')",
        ),
    ],
)
def test_a_partial_function_is_called_with_all(tmp_path: Path, init: str, kept: str, value: str, after: str) -> None:
    found = find(tmp_path, init, value)
    assert {mend.kind for mend in found.find(RULE)} == {MendKind.FROZEN}
    assert found.apply(RULE) == MODULE.format(f"{init}\n        {kept}", after)


def test_literals_are_written_where_they_are_passed(tmp_path: Path) -> None:
    init = "self.f = functools.partial(F.interpolate, scale_factor=-2.0)"
    assert find(tmp_path, init, "self.f(x)").apply(RULE) == MODULE.format(init, "F.interpolate(x, scale_factor=-2.0)")


def test_a_lambda_gets_a_name(tmp_path: Path) -> None:
    found = find(tmp_path, "self.f = lambda x, *y: F.relu(x)", "self.f(x) + self.f(y)")
    assert {mend.kind for mend in found.find(RULE)} == {MendKind.EXACT}
    after = "\n        def f(x, *y):\n            return F.relu(x)\n\n        self.f = f"
    assert found.apply(RULE) == MODULE.format(after, "self.f(x) + self.f(y)").replace("        \n", "\n")
