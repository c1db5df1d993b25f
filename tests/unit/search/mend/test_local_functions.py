"""Lambdas and small functions in locals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended

from pdt_annotate.search.mend.local_functions import RULE

BODIES = st.sampled_from(["t + n", "(t, x)", "n if t else y", "[t for u in x]", "-t", "note(t) + t", "t - note(n)"])
ARGUMENTS = st.sampled_from(["x[0]", "y", "y + 1", "note(3)", "-n", "(lambda n: n)(2)"])


@settings(max_examples=60, deadline=None)
@given(body=BODIES, arguments=st.lists(ARGUMENTS, min_size=1, max_size=3))
def test_answers_and_effects_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, body: str, arguments: list[str]
) -> None:
    calls = ", ".join(f"g({argument})" for argument in arguments)
    source = f"def f(x, y, n):\n    g = lambda t: {body}\n    return [{calls}]\n"
    after = Mended(tmp_path_factory.mktemp("a"), source).apply(RULE)
    assert run(source) == run(after)


def run(source: str) -> tuple[object, list[int]]:
    noted: list[int] = []
    names: dict[str, object] = {"note": lambda value: noted.append(value) or value}
    exec(source, names)
    return names["f"]([4, 5], 1, 2), noted  # type: ignore[operator]
