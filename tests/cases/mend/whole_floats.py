"""Whole numbers for floats."""

from __future__ import annotations

from mend_cases import NET, Form

DOCUMENTED = Form(
    """\
import torch.nn.functional as F


def f(x):
    {}
    return x
"""
)
FORM = Form("""\
import torch
import torch.nn.functional as F


def f(x, n, args):
    {}""")


CASES = [
    *FORM.alone(
        "return F.normalize(x, 2.0, 1)",
        "return F.normalize(x, dim=1)",
        "return F.normalize(x, n)",
        "return F.normalize(*args, 2)",
        "return F.normalize(x, p=True)",
        "return F.normalize(x, p=0x2)",
        "return F.softmax(x, 1)",
        "return normalize(x, 2)",
        "return x.normalize(x, 2)",
        "return torch.norm(x, p=2)",
    ),
    *FORM.mends(
        ("return F.normalize(x, p=2, dim=1)", "return F.normalize(x, p=2.0, dim=1)"),
        ("return F.normalize(x, 2, 1)", "return F.normalize(x, 2.0, 1)"),
        ("return F.pad(x, (1, 0), value=-1)", "return F.pad(x, (1, 0), value=-1.0)"),
        (
            "return torch.nn.functional.dropout(F.elu(x, 1), 0)",
            "return torch.nn.functional.dropout(F.elu(x, 1.0), 0.0)",
        ),
    ),
    *NET.compiles(
        "return F.normalize(x, p=2, dim=1)",
        "return F.pad(x, (1, 0), value=0)",
        "return F.dropout(x, 0)",
        "return F.interpolate(x[None], scale_factor=2)",
    ),
]
