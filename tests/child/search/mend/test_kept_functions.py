"""Partial functions and lambdas that modules keep, before the real compiler."""

from __future__ import annotations

from pathlib import Path

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mended_module import HEAD, recover

from pdt_annotate.search.mend.kept_functions import RULE

MODULE = (
    HEAD
    + """\
import functools


def blur(x, y, sigma: float = 1.0, mode: str = "sum"):
    return x * sigma + y if mode == "sum" else x - y


class Net(nn.Module):
    def __init__(self, sigma=2.0):
        super().__init__()
        self.loss = functools.partial(blur, {})
        self.up = functools.partial(F.interpolate, scale_factor=2.0, mode="nearest")
        self.act = lambda x: x * 2

    def forward(self, x):
        x = self.loss(x, {})
        x = self.act(x) + self.act(x)
        return self.up(x[None], {})
"""
)
GIVEN = st.sampled_from(["sigma=sigma", "mode='mean'", "sigma=sigma * 2, mode='a'", "sigma=-1.0"])
PASSED = st.sampled_from(["y=x", "x", "x, mode='sum'", "x, sigma=4.0", "y=x, mode='b', sigma=0.5"])


@settings(max_examples=8, deadline=None)
@given(given=GIVEN, passed=PASSED, to_up=st.sampled_from(["", "mode='linear'", "scale_factor=3.0"]))
def test_functions_answer_as_before_and_script(tmp_path_factory, given: str, passed: str, to_up: str) -> None:
    folder: Path = tmp_path_factory.mktemp("net")
    found = recover(folder, MODULE.format(given, passed, to_up), [RULE], torch.randn(2, 3))
    assert found.scripts and found.answers_alike, (found.messages, found.source)
