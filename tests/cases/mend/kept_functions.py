"""Partial functions and lambdas that modules keep."""

from __future__ import annotations

from hypothesis import strategies as st
from mend_cases import IMPORTS, Drawn, Form

DOCUMENTED = Form(
    """\
import functools


def blur_loss(x, y, sigma, mode):
    return x


class Net(nn.Module):
    {}
"""
)

GIVEN = st.sampled_from(["sigma=sigma", "mode='mean'", "sigma=sigma * 2, mode='a'", "sigma=-1.0"])
PASSED = st.sampled_from(["y=x", "x", "x, mode='sum'", "x, sigma=4.0", "y=x, mode='b', sigma=0.5"])
TO_UP = st.sampled_from(["", "mode='linear'", "scale_factor=3.0"])
DRAWN = Drawn(
    st.builds(
        (
            IMPORTS
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
        ).format,
        GIVEN,
        PASSED,
        TO_UP,
    )
)
