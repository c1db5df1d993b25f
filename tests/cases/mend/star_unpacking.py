"""Star unpacking in calls, displays and targets."""

from __future__ import annotations

from mend_cases import IMPORTS, Form

DOCUMENTED = Form(
    """\
class Net(nn.Module):
    def forward(self, x):
        {}
"""
)
FORM = Form("""\
import torch


def f(self, x, y, n):
    {}
""")

CASES = [
    *FORM.alone(
        "return g(*x.shape)",
        "return x.sum(*y.shape)",
        "return x.view(*y)",
        "view = n\nreturn view(*x.shape)",
        "y = list(x.shape)\nreturn x.view(*y)",
        "if n:\n    y = x.shape\nreturn x.view(*y)",
        "return x.view(*x.shape, # the rest\n    -1)",
        "a, b = *x, *y",
        "a, b = (*x, y, n)",
        "a, *b = *x, y",
        "a = *x, y",
        "return (*x,)",
        "*a, b = y",
        "*a, b = x.shape\nreturn a",
        "*a, b = x.shape\nreturn x.view(*a) + len(a)",
        "a, *b, c = x.shape\nreturn x.view(*b)",
        "*a, b = g(x).shape\nreturn x.view(*a)",
        "return torch.cat((x, y))",
        "return tuple(x)",
        "return x.view(tuple(y))",
    ),
    *FORM.mends(
        ("return x.view(*y.shape)", "return x.view(y.shape)"),
        ("return x.view(*y.shape[:2], n, -1)", "return x.view(y.shape[:2] + (n, -1))"),
        ("return x.view(1, *y.size(), n)", "return x.view((1,) + y.size() + (n,))"),
        ("return torch.ones(*x.shape[:2], device = n)", "return torch.ones(x.shape[:2], device = n)"),
        ("z = x.shape[1:]\nreturn x.expand(n, *z)", "z = x.shape[1:]\nreturn x.expand((n,) + z)"),
        ("return x.view(tuple(y.shape))", "return x.view(y.shape)"),
        ("return torch.cat((x, *y.chunk(2)), dim=1)", "return torch.cat([x] + list(y.chunk(2)), dim=1)"),
        ("return torch.stack(tuple(a + 1 for a in x))", "return torch.stack([a + 1 for a in x])"),
        ("return torch.stack(tuple(x))", "return torch.stack(list(x))"),
        ("b, c, d = *x.shape, n", "(b, c), d = x.shape, n"),
        ("b, c, d = n, *x.shape", "b, (c, d) = n, x.shape"),
        ("b, c = n, *x", "b, (c,) = n, x"),
        ("b, c = (*x,)", "b, c = x"),
        ("q, k, v = (g(x), *g(\n    y).chunk(2))", "q, (k, v) = g(x), g(\n    y).chunk(2)"),
        (
            "*a, b = x.shape\nreturn y.view(*a, -1).expand(*a, b)",
            "a, b = x.shape[:-1], x.shape[-1]\nreturn y.view(a + (-1,)).expand(a + (b,))",
        ),
        (
            "a, b, *c = x.shape\nreturn y.view(a, b, *c)",
            "a, b, c = x.shape[0], x.shape[1], x.shape[2:]\nreturn y.view((a, b) + c)",
        ),
    ),
]

DRAWN = Form(
    IMPORTS
    + """\
class Net(nn.Module):
    def forward(self, x):
        b, c, d, n = *x.shape, 2
        p, q, r = (x, *x.chunk(2, dim=-1))
        *rest, last = x.shape
        first, *others = x.shape
        return ({}, x.view(*rest, -1), x.view(-1, *others))
"""
).draws(
    "x.reshape(*x.shape[:2], n, -1)",
    "x.reshape(b, *x.shape[1:])",
    "x.reshape(*rest, last)",
    "x.reshape(first, *others)",
    "x.reshape(-1, *rest)",
    "torch.ones(*x.shape[:-1], device=x.device)",
    "torch.zeros(n, *x.size())",
    "x[:1].expand(*x.shape)",
    "x.reshape(tuple(x.shape))",
    "torch.cat((x, *x.chunk(2, dim=0)))",
    "torch.cat([*x.chunk(2, dim=0), x])",
    "torch.stack(tuple(t * 2 for t in (x, x)))",
    "torch.cat(tuple(x.chunk(2, dim=-1)), dim=-1)",
    "q + r",
    "p.sum() + x.new_ones(*x.shape[:1]) * c * d",
    between=", ",
    args="torch.randn(2, 4, 6)",
)
