"""Lists that are returned as tuples."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended, defined

from pdt_annotate.search.mend.returned_tuples import RULE
from pdt_annotate.values.types import TENSOR, TypeExpr

XS = (TypeExpr("list", (TENSOR,)),)
HEAD = "def f(x, xs):\n    "


def mend(folder: Path, body: str, *lengths: int) -> str:
    returned = tuple(TypeExpr("tuple", (TENSOR,) * length) for length in lengths)
    source = f"{HEAD}{body}\n"
    return Mended(folder, source, types={"f": {"return": returned, "xs": XS}}).apply(RULE).removeprefix(HEAD).strip()


FORMS = st.sampled_from(["tuple(xs)", "(*xs,)", "tuple(a + x for a in xs)", "tuple([x, *xs][1:])"])


@settings(max_examples=30, deadline=None)
@given(form=FORMS, values=st.lists(st.integers(), min_size=1, max_size=8), more=st.integers(0, 1))
def test_answers_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, form: str, values: list[int], more: int
) -> None:
    body = f"return {form}"
    after = HEAD + mend(tmp_path_factory.mktemp("a"), body, len(values)) + "\n"
    old, new = defined(HEAD + body + "\n"), defined(after)
    assert old(1, values) == new(1, values)
    if more and after != HEAD + body + "\n":
        with pytest.raises(AssertionError):
            new(1, [*values, 1])
