"""Helpers such as `exists` and `default`, written out where they are called."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
import torch


def exists(value):
    return value is not None


def default(value, d):
    return value if value is not None else d()


def f(mask, bias):
    {}
    return bias
"""
)
