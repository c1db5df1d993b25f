"""Names that are looked up in `**kwargs`."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended

from pdt_annotate.search.mend.keyword_lookups import RULE
from pdt_annotate.values.mends import Variadic


@pytest.mark.parametrize(
    "body",
    [
        "return x",
        "return g(x, **kwargs)",
        "return kwargs.get('a') or g(**kwargs)",
        "return kwargs[x]",
        "return kwargs.get('a', x)",
        "return kwargs.get('a', 1) + kwargs.get('a', 2)",
        "return kwargs.get('x')",
        "a = kwargs.get('a')\n    return a",
        "return kwargs.pop('a') + kwargs.get('a', 1)",
        "kwargs['a'] = 1\n    return kwargs.get('a')",
        "return kwargs.items()",
        "return kwargs['a b']",
        "return kwargs['a'] if x else 0",
        "if x:\n        return 0\n    return kwargs['a']",
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, body: str) -> None:
    source = f"def f(x, **kwargs):\n    {body}\n"
    assert Mended(tmp_path, source).apply(RULE) == source


def test_other_names_that_callers_pass_keep_it(tmp_path: Path) -> None:
    source = "def f(x, **kwargs):\n    return kwargs.get('a')\n"
    assert Mended(tmp_path, source, variadic={"f": Variadic(names=("a", "b"))}).apply(RULE) == source


@pytest.mark.parametrize(
    ("before", "head", "body"),
    [
        ("return x * kwargs.get('a', 2.0)", "x, a=2.0", "return x * a"),
        ("return x * kwargs['a']", "x, a", "return x * a"),
        ("return kwargs.pop('b', None), kwargs['a']", "x, a, b=None", "return b, a"),
    ],
)
def test_what_comes_out(tmp_path: Path, before: str, head: str, body: str) -> None:
    after = Mended(tmp_path, f"def f(x, **kwargs):\n    {before}\n").apply(RULE)
    assert after == f"def f({head}):\n    {body}\n"


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
