"""Several values assigned at once, empty containers among them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended, defined

from pdt_annotate.search.mend import joint_assignments

VALUES = st.sampled_from(["[]", "{}", "1", "x", "x + 1", "a", "b", "[a]", "(b, x)"])


@settings(max_examples=60, deadline=None)
@given(st.lists(VALUES, min_size=2, max_size=3))
def test_python_gives_the_names_the_same_values(tmp_path_factory: pytest.TempPathFactory, values: list[str]) -> None:
    names = ["a", "b", "c"][: len(values)]
    source = f"def f(x, a, b, c):\n    {', '.join(names)} = {', '.join(values)}\n    return a, b, c\n"
    changed = Mended(tmp_path_factory.mktemp("joint"), source).apply(joint_assignments.RULE)
    before, after = defined(source), defined(changed)
    assert before(1, 2, 3, 4) == after(1, 2, 3, 4)
