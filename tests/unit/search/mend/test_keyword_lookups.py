"""Names that are looked up in `**kwargs`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended

from pdt_annotate.search.mend.keyword_lookups import RULE

LOOKUPS = st.sampled_from(
    ["kw.get('a')", "kw.get('b', 3)", "kw['c']", "kw.pop('d', -1)", "(kw.get('b', 3) if x else x)"]
)


@settings(max_examples=40, deadline=None)
@given(lookups=st.lists(LOOKUPS, min_size=1, max_size=4, unique=True), passed=st.sets(st.sampled_from("abcd")))
def test_answers_are_the_same(tmp_path_factory: pytest.TempPathFactory, lookups: list[str], passed: set[str]) -> None:
    source = f"def f(x, **kw):\n    return [{', '.join(lookups)}]\n"
    after = Mended(tmp_path_factory.mktemp("a"), source).apply(RULE)
    known = {name for name in passed if f"'{name}'" in source}
    assert "**" not in after
    assert outcome(source, known) == outcome(after, known)


def outcome(source: str, passed: set[str]) -> object:
    names: dict[str, object] = {}
    exec(source, names)
    try:
        return names["f"](0, **dict.fromkeys(passed, 7))  # type: ignore[operator]
    except (KeyError, TypeError):
        return "needs more"
