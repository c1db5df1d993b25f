"""Checks, warnings and logging."""

from __future__ import annotations

from mend_cases import Form

DOCUMENTED = Form(
    """\
import torch


def f(x):
    {}
    return x
""",
    stops="type(x)",
)
