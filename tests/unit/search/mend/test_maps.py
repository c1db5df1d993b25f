"""`map` of lambdas and functions."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended

from pdt_annotate.search.mend.maps import RULE


def mend(folder: Path, body: str) -> str:
    head = "def f(x, y, n):\n    "
    return Mended(folder, f"{head}{body}\n").apply(RULE).removeprefix(head).strip()


@pytest.mark.parametrize(
    "body",
    [
        "return map(lambda t: t + 1, x)",  # may be gone over once, and later
        "a, *b = map(lambda t: t + 1, x)",
        "a, b = map(*x)",
        "a, b = map(make(), x)",
        "a, b = map(lambda t, u=1: t + u, x)",
        "a, b = map(lambda *t: t, x)",
        "a, b = map(lambda: 1, x)",
        "map = n\n    a, b = map(lambda t: t, x)",
        "a = map(lambda t: t + 1, x)\n    return sum(a), sum(a)",
        "a = map(lambda t: t + n, x)\n    n = 2\n    return sum(a)",
        "a = map(lambda t: t + 1, x)\n    return next(a)",
        "for t in map(lambda t: t + 1, x):\n        n += t",
        "return list(map(lambda t: t, x), 2)",
        "return len(map(lambda t: t, x))",
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, body: str) -> None:
    assert mend(tmp_path, body) == body


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("q, k = map(lambda t: t * n, (x, y))", "q, k = [t * n for t in (x, y)]"),
        ("q, k = map(lambda t, u: t * u, x, (1, 2))", "q, k = [t * u for t, u in zip(x, (1, 2))]"),
        ("q, k = map(F.relu, (x, y))", "q, k = [F.relu(each) for each in (x, y)]"),
        ("each = 2\n    q, k = map(F.relu, x)", "each = 2\n    q, k = [F.relu(each_1) for each_1 in x]"),
        ("return list(map(lambda t: t + 1, x))", "return [t + 1 for t in x]"),
        ("return list(filter(lambda t: t > 1, x))", "return [t for t in x if t > 1]"),
        ("q, k = map(lambda t: t, x if n else y)", "q, k = [t for t in (x if n else y)]"),
        ("q, k = map(lambda t: g(t,\n        n), x)", "q, k = [(g(t,\n        n)) for t in x]"),
        (
            "a = (x, y)\n    if n:\n        a = map(lambda t: t[:n], a)\n    for b in a:\n        return b",
            "a = (x, y)\n    if n:\n        a = (a[0][:n], a[1][:n])\n    for b in a:\n        return b",
        ),
        ("a = map(g, x)\n    return sum(a)", "a = [g(each) for each in x]\n    return sum(a)"),
    ],
)
def test_what_comes_out(tmp_path: Path, before: str, after: str) -> None:
    assert mend(tmp_path, before) == after


BODIES = st.sampled_from(["t + n", "(t, x)", "n if t else y", "[t for t in [t]]", "(lambda u: u * t)(2)", "-t"])
SHAPES = st.sampled_from(["a, b = {}\n    return a, b", "return list({})", "n = {}\n    return list(zip(n, x))"])


@settings(max_examples=40, deadline=None)
@given(body=BODIES, shape=SHAPES, values=st.lists(st.integers(0, 3), min_size=2, max_size=2))
def test_answers_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, body: str, shape: str, values: list[int]
) -> None:
    source = "def f(x, y, n):\n    " + shape.format(f"map(lambda t: {body}, x)") + "\n"
    after = Mended(tmp_path_factory.mktemp("a"), source).apply(RULE)
    old: dict[str, object] = {}
    new: dict[str, object] = {}
    exec(source, old)
    exec(after, new)
    is_late = shape.startswith("n =") and body in ("t + n", "n if t else y")
    assert ("map" in after) is is_late
    if not is_late:
        assert old["f"](values, 1, 2) == new["f"](values, 1, 2)  # type: ignore[operator]
