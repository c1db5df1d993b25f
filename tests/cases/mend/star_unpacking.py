"""Star unpacking in calls, displays and targets."""

from __future__ import annotations

from mend_cases import Form

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
