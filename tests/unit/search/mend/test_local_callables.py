"""Functions that are chosen in a local."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended

from pdt_annotate.search.mend.local_callables import RULE

HEAD = "def f(x, a, n):\n    "


def mend(folder: Path, body: str) -> str:
    return Mended(folder, f"{HEAD}{body}\n").apply(RULE).removeprefix(HEAD).strip()


@pytest.mark.parametrize(
    "body",
    [
        "g = F.relu\n    return g(x)",  # the compiler reads it
        "g = F.relu if a else F.gelu\n    return g",
        "g = F.relu if h(a) else F.gelu\n    return g(x)",
        "g = make() if a else F.gelu\n    return g(x)",
        "g = F.relu if a else F.gelu\n    a = n\n    return g(x)",
        "g = F.relu if self.a else F.gelu\n    self.a = n\n    return g(x)",
        "if n:\n        g = F.relu if a else F.gelu\n    return g(x)",
        "g = F.relu if a else F.gelu\n    return g(g(x))",
        "g = F.relu if a else F.gelu\n    if n:\n        g = F.silu\n    return g(x)",
        "if a:\n        g = F.relu\n    return g(x)",
        "if a:\n        g = F.relu\n    else:\n        h = F.gelu\n    return g(x)",
        "if a:\n        g = F.relu\n        n = 2\n    else:\n        g = F.gelu\n    return g(x)",
        "if a:\n        g = F.relu\n    else:\n        raise ValueError(n)\n    g = n\n    return g(x)",
        "if x.dim() == 3:\n        g = F.relu\n    else:\n        g = F.gelu\n    x.squeeze_(0)\n    return g(x)",
        "if x.dim() == 3:\n        g = F.relu\n    else:\n        g = F.gelu\n    x = h(x)\n    return g(x)",
        "g = slice(1, None) if a else F.gelu\n    return x[g]",
        "g = slice(1, None) if a else slice(2)\n    return g(x)",
        "g = slice(1, None) if a else slice(2)\n    x[g] = n\n    return x",
        "g = slice(1, h(a))\n    return x[g]",
        "g = slice(1, a)\n    a += 1\n    return x[g]",
        "g = slice(1, a)\n    return x[g, g]",
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, body: str) -> None:
    assert mend(tmp_path, body) == body


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("g = F.relu if a else F.gelu\n    return g(x)", "return F.relu(x) if a else F.gelu(x)"),
        ("g = self.b if a > 1 else h\n    return g(x) + 1", "return (self.b(x) if a > 1 else h(x)) + 1"),
        (
            "if a:\n        g = F.relu\n    else:\n        g = F.gelu\n    y = g(x, n=2)",
            "y = F.relu(x, n=2) if a else F.gelu(x, n=2)",
        ),
        (
            "if a:\n        g = F.relu\n    elif n:\n        g = F.gelu\n    else:\n        g = h\n    return g(x)",
            "return F.relu(x) if a else F.gelu(x) if n else h(x)",
        ),
        (
            "if x.dim() == 3:  # once\n        g = F.relu\n    elif len(x.shape) == 4:\n        g = F.gelu\n"
            "    else:\n        # what?\n        raise ValueError(x)\n    for y in n:\n        a += g(y)",
            "if not (x.dim() == 3 or len(x.shape) == 4):\n        # what?\n        raise ValueError(x)\n"
            "    for y in n:\n        a += F.relu(y) if x.dim() == 3 else F.gelu(y)",
        ),
        (
            "if a:\n        g = F.relu\n    else: return x\n    return g(x)",
            "if not a: return x\n    return F.relu(x)",
        ),
        ("g = slice(1, None)\n    return x[:, g].sum()", "return x[:, 1:].sum()"),
        (
            "if a:\n        g = slice(1, None)\n    else:\n        g = slice(0, n, 2)\n    return x[g], x[:, g, 0]",
            "return x[1:] if a else x[0:n:2], x[:, 1:, 0] if a else x[:, 0:n:2, 0]",
        ),
        (
            "g = F.conv2d if a else F.conv3d if n else h\n    y = g(weight.transpose(1, -1), stride=1, padding=0)",
            "if a:\n        y = F.conv2d(weight.transpose(1, -1), stride=1, padding=0)\n"
            "    elif n:\n        y = F.conv3d(weight.transpose(1, -1), stride=1, padding=0)\n"
            "    else:\n        y = h(weight.transpose(1, -1), stride=1, padding=0)",
        ),
        ("g = slice(n) if a else slice(None)\n    return x[g]", "return x[:n] if a else x[:]"),
    ],
)
def test_what_comes_out(tmp_path: Path, before: str, after: str) -> None:
    assert mend(tmp_path, before) == after


CHOICES = st.recursive(
    st.sampled_from(["abs", "neg", "str"]),
    lambda inner: st.builds(
        "{} if {} else {}".format, inner, st.sampled_from(["a", "not n", "a > n", "a and n"]), inner
    ),
    max_leaves=4,
)


@settings(max_examples=40, deadline=None)
@given(
    choice=CHOICES, uses=st.lists(st.sampled_from(["g(x)", "[g(n)]", "(g(x), a)", "g(x) if n else g(a)"]), min_size=1)
)
def test_answers_are_the_same(tmp_path_factory: pytest.TempPathFactory, choice: str, uses: list[str]) -> None:
    source = f"from operator import neg\n\n\n{HEAD}g = {choice}\n    return [{', '.join(uses)}]\n"
    after = Mended(tmp_path_factory.mktemp("a"), source).apply(RULE)
    old: dict[str, object] = {}
    new: dict[str, object] = {}
    exec(source, old)
    exec(after, new)
    for a, n in itertools.product((0, 1, 2), repeat=2):
        assert old["f"](-3, a, n) == new["f"](-3, a, n)  # type: ignore[operator]
