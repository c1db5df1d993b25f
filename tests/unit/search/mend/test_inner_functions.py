"""Functions inside functions."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.inner_functions import RULE


@pytest.mark.parametrize(
    "body",
    [
        "def g(t):\n        u = t\n        return u\n    return g",
        "def g(t):\n        u = t\n        return g(u)\n    return g(x)",
        "def g(t, *u):\n        u = t\n        return u\n    return g(x)",
        "def g(t):\n        nonlocal n\n        n = t\n    return g(x)",
        "@h\n    def g(t):\n        u = t\n        return u\n    return g(x)",
        "def g(t):\n        u = t + n\n        return u\n    return [g(n) for n in x]",
        "def g(t):\n        yield t\n    return g(x)",
        "def g(t):\n        u = t\n        return u\n    return g(t=x)",
        "g = n\n    def g(t):\n        u = t\n        return u\n    return g(x)",
    ],
)
def test_functions_that_must_stay(tmp_path: Path, body: str) -> None:
    source = f"def f(x, n):\n    {body}\n"
    assert Mended(tmp_path, source).apply(RULE) == source


def test_an_inner_function_takes_what_it_reads(tmp_path: Path) -> None:
    source = """\
class Block(Module):
    def forward(self, x, n):
        x = x

        def scaled(t, u):
            # by n
            v = t * n

            return v + u + x

        n = n + 1
        return scaled(x, 2) + scaled(n, self.bias)
"""
    after = Mended(tmp_path, source).apply(RULE)
    assert (
        after
        == """\
def _scaled(t, u, n, x):
    # by n
    v = t * n

    return v + u + x


class Block(Module):
    def forward(self, x, n):
        x = x

        n = n + 1
        return _scaled(x, 2, n, x) + _scaled(n, self.bias, n, x)
"""
    )
    old: dict[str, object] = {"Module": object}
    new: dict[str, object] = {"Module": object}
    for text, names in ((source, old), (after, new)):
        exec(text.replace("self.bias", "7"), names)
    assert old["Block"]().forward(3, 4) == new["Block"]().forward(3, 4)  # type: ignore[operator]


def test_the_place_may_be_the_inner_function(tmp_path: Path) -> None:
    source = "def f(x):\n    def g(t):\n        u = t\n        return u\n    return g(x)\n"
    mended = Mended(tmp_path, source)
    assert {mend.owner.qualname for mend in mended.find(RULE)} == {"f"}
