"""Comprehensions with tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended

from pdt_annotate.search.mend.comprehension_tests import RULE

HEAD = "def f(x, y, n):\n    "


def mend(folder: Path, body: str) -> str:
    return Mended(folder, f"{HEAD}{body}\n").apply(RULE).removeprefix(HEAD).strip()


@pytest.mark.parametrize(
    "body",
    [
        "return [a for a in x]",
        "return sum(a for a in x if a)",  # goes over it lazily
        "return {a for a in x if a}",
        "return g(n) + h([a for a in x if a])",
        "return y and [a for a in x if a]",
        "return [a for a in x if a] if y else n",
        "return [[b for b in a if b] for a in x]",
        "if [a for a in x if a]:\n        return y",
        "if n: return [a for a in x if a]",
        "return lambda: [a for a in x if a]",
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, body: str) -> None:
    assert mend(tmp_path, body) == body


LOOP = "for a in x:\n        if a > n:\n            {}.append(a)"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("b = [a for a in x if a > n]", "b = []\n    " + LOOP.format("b")),
        ("return [a for a in x if a > n]", "kept = []\n    " + LOOP.format("kept") + "\n    return kept"),
        ("b = g([a for a in x if a > n], h(y))", "kept = []\n    " + LOOP.format("kept") + "\n    b = g(kept, h(y))"),
        ("x = [a for a in x if a > n]", "kept = []\n    " + LOOP.format("kept") + "\n    x = kept"),
        (
            "b = {k: v for k, v in x.items() if k if v or n}",
            "b = {}\n    for k, v in x.items():\n        if k and (v or n):\n            b[k] = v",
        ),
        (
            "b = [y * n for y in x if y for n in y]",
            "b = []\n    for y_1 in x:\n        if y_1:\n"
            "            for n_1 in y_1:\n                b.append(y_1 * n_1)",
        ),
    ],
)
def test_what_comes_out(tmp_path: Path, before: str, after: str) -> None:
    assert mend(tmp_path, before) == after


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
    old: dict[str, object] = {}
    new: dict[str, object] = {}
    exec(source, old)
    exec(after, new)
    assert after != source
    assert old["f"](values, 1, 2) == new["f"](values, 1, 2)  # type: ignore[operator]
