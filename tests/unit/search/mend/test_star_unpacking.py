"""Star unpacking in calls, displays and targets."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.star_unpacking import RULE

HEAD = "import torch\n\n\ndef f(self, x, y, n):\n    "


def mend(folder: Path, body: str) -> str:
    return Mended(folder, f"{HEAD}{body}\n").apply(RULE).removeprefix(HEAD).strip()


@pytest.mark.parametrize(
    "body",
    [
        "return g(*x.shape)",  # takes as many as it takes
        "return x.sum(*y.shape)",
        "return x.view(*y)",  # a list, or a tuple?
        "view = n\n    return view(*x.shape)",
        "y = list(x.shape)\n    return x.view(*y)",
        "if n:\n        y = x.shape\n    return x.view(*y)",
        "return x.view(*x.shape, # the rest\n        -1)",
        "a, b = *x, *y",
        "a, b = (*x, y, n)",
        "a, *b = *x, y",
        "a = *x, y",
        "return (*x,)",
        "*a, b = y",
        "*a, b = x.shape\n    return a",
        "*a, b = x.shape\n    return x.view(*a) + len(a)",
        "a, *b, c = x.shape\n    return x.view(*b)",
        "*a, b = g(x).shape\n    return x.view(*a)",
        "return torch.cat((x, y))",
        "return tuple(x)",
        "return x.view(tuple(y))",
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, body: str) -> None:
    assert mend(tmp_path, body) == body


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return x.view(*y.shape)", "return x.view(y.shape)"),
        ("return x.view(*y.shape[:2], n, -1)", "return x.view(y.shape[:2] + (n, -1))"),
        ("return x.view(1, *y.size(), n)", "return x.view((1,) + y.size() + (n,))"),
        ("return torch.ones(*x.shape[:2], device = n)", "return torch.ones(x.shape[:2], device = n)"),
        ("z = x.shape[1:]\n    return x.expand(n, *z)", "z = x.shape[1:]\n    return x.expand((n,) + z)"),
        ("return x.view(tuple(y.shape))", "return x.view(y.shape)"),
        ("return torch.cat((x, *y.chunk(2)), dim=1)", "return torch.cat([x] + list(y.chunk(2)), dim=1)"),
        ("return torch.stack(tuple(a + 1 for a in x))", "return torch.stack([a + 1 for a in x])"),
        ("return torch.stack(tuple(x))", "return torch.stack(list(x))"),
        ("b, c, d = *x.shape, n", "(b, c), d = x.shape, n"),
        ("b, c, d = n, *x.shape", "b, (c, d) = n, x.shape"),
        ("b, c = n, *x", "b, (c,) = n, x"),
        ("b, c = (*x,)", "b, c = x"),
        ("q, k, v = (g(x), *g(\n        y).chunk(2))", "q, (k, v) = g(x), g(\n        y).chunk(2)"),
        (
            "*a, b = x.shape\n    return y.view(*a, -1).expand(*a, b)",
            "a, b = x.shape[:-1], x.shape[-1]\n    return y.view(a + (-1,)).expand(a + (b,))",
        ),
        (
            "a, b, *c = x.shape\n    return y.view(a, b, *c)",
            "a, b, c = x.shape[0], x.shape[1], x.shape[2:]\n    return y.view((a, b) + c)",
        ),
    ],
)
def test_what_comes_out(tmp_path: Path, before: str, after: str) -> None:
    assert mend(tmp_path, before) == after
