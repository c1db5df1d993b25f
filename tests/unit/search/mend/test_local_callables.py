"""Functions that are chosen in a local."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended, defined

from pdt_annotate.search.mend.local_callables import RULE

HEAD = "def f(x, a, n):\n    "


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
    old, new = defined(source), defined(after)
    for a, n in itertools.product((0, 1, 2), repeat=2):
        assert old(-3, a, n) == new(-3, a, n)
