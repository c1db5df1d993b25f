"""`map` of lambdas and functions."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended, defined

from pdt_annotate.search.mend.maps import RULE

BODIES = st.sampled_from(["t + n", "(t, x)", "n if t else y", "[t for t in [t]]", "(lambda u: u * t)(2)", "-t"])
SHAPES = st.sampled_from(["a, b = {}\n    return a, b", "return list({})", "n = {}\n    return list(zip(n, x))"])


@settings(max_examples=40, deadline=None)
@given(body=BODIES, shape=SHAPES, values=st.lists(st.integers(0, 3), min_size=2, max_size=2))
def test_answers_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, body: str, shape: str, values: list[int]
) -> None:
    source = "def f(x, y, n):\n    " + shape.format(f"map(lambda t: {body}, x)") + "\n"
    after = Mended(tmp_path_factory.mktemp("a"), source).apply(RULE)
    old, new = defined(source), defined(after)
    is_late = shape.startswith("n =") and body in ("t + n", "n if t else y")
    assert ("map" in after) is is_late
    if not is_late:
        assert old(values, 1, 2) == new(values, 1, 2)
