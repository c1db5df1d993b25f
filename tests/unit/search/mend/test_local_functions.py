"""Lambdas and small functions in locals."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended

from pdt_annotate.search.mend.local_functions import RULE

HEAD = "def f(x, y, n):\n    "


def mend(folder: Path, body: str) -> str:
    return Mended(folder, f"{HEAD}{body}\n").apply(RULE).removeprefix(HEAD).strip()


@pytest.mark.parametrize(
    "body",
    [
        "g = lambda t: t + 1\n    return g",
        "g = lambda t: t + 1",
        "g = lambda t: t + 1\n    if n:\n        g = h\n    return g(x)",
        "if n:\n        g = lambda t: t\n    return g(x)",
        "return g(x)\n    g = lambda t: t + 1",
        "g = lambda t, u=1: t + u\n    return g(x)",
        "g = lambda *t: t\n    return g(x)",
        "g = lambda t: t + 1\n    return g(t=x)",
        "g = lambda t: t + 1\n    return g(*x)",
        "g = lambda t: t + t\n    return g(h(x))",
        "g = lambda t: h(y) + t\n    return g(h(x))",
        "g = lambda t: t if y else n\n    return g(h(x))",
        "g = lambda t: n\n    return g(h(x))",
        "g = lambda t, u: t + u\n    return g(h(x), h(y))",
        "g = lambda t: t + n\n    return [g(x) for n in y]",
        "g = lambda t: [t + u for u in x]\n    return [g(u) for u in y]",
        "g = lambda t: t + 1\n    return g(g(x))",
        "g = lambda t: g(t)\n    return g(x)",
        "def g(t):\n        t = t + 1\n        return t\n    return g(x)",
        "@h\n    def g(t):\n        return t\n    return g(x)",
        "def g(t):\n        return t\n    def h(t):\n        u = t\n        return g(u)\n    return h(x)",
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, body: str) -> None:
    assert mend(tmp_path, body) == body


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("g = lambda t: t + 1\n    return g(x) * g(y)", "return (x + 1) * (y + 1)"),
        ("g = lambda t: t * n\n    return g(x + 1)", "return (x + 1) * n"),
        ("g = lambda t: t.view(n).sum()\n    return g(h(x))", "return h(x).view(n).sum()"),
        ("def g(t):\n        return t + 1\n    return g(x)", "return x + 1"),
        ("g = lambda: x\n    return g()", "return x"),
        ("g = lambda t: t + n\n    a, b = map(g, x)\n    return a", "a, b = map(lambda t: t + n, x)\n    return a"),
        ("if n:\n        g = lambda t: t\n        x = g(y)\n    return x", "if n:\n        x = y\n    return x"),
    ],
)
def test_what_comes_out(tmp_path: Path, before: str, after: str) -> None:
    assert mend(tmp_path, before) == after


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
