"""Partial functions and lambdas that modules keep."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
import functools


def blur_loss(x, y, sigma, mode):
    return x


class Net(nn.Module):
    {}
"""
)
