"""Comprehensions with tests."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended, defined

from pdt_annotate.search.mend.comprehension_tests import RULE

HEAD = "def f(x, y, n):\n    "


PLACES = st.sampled_from(
    ["return {}", "y = {}\n    return y, x", "return ({}, y)", "x = {}\n    return x", "return len({})"]
)
FORMS = st.sampled_from(
    ["[{e} for a in x if {t}]", "[{e} for a in x if {t} for z in [a]]", "{{a: {e} for a in x if {t}}}"]
)
PARTS = st.sampled_from(["a", "a + n", "y", "a or n", "(lambda: a)()"])


@settings(max_examples=60, deadline=None)
@given(place=PLACES, form=FORMS, element=PARTS, test=PARTS, values=st.lists(st.integers(-2, 2), max_size=4))
def test_answers_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, place: str, form: str, element: str, test: str, values: list[int]
) -> None:
    source = HEAD + place.format(form.format(e=element, t=test)) + "\n"
    after = Mended(tmp_path_factory.mktemp("a"), source).apply(RULE)
    old, new = defined(source), defined(after)
    assert after != source
    assert old(values, 1, 2) == new(values, 1, 2)
