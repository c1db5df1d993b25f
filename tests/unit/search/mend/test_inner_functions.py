"""Functions inside functions."""

from __future__ import annotations

from pathlib import Path

from mended import Mended

from pdt_annotate.search.mend.inner_functions import RULE


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
