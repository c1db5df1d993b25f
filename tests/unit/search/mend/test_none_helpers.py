"""Helpers such as `exists` and `default`, written out where they are called."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended, defined

from pdt_annotate.search.mend.none_helpers import RULE
from pdt_annotate.values.types import TENSOR

HELPERS = """\
def exists(val):
    return val is not None


def default(val, d):
    if exists(val):
        return val
    return d() if callable(d) else d


def first(a, b=0):
    \"\"\"The first of two.\"\"\"
    return a if a is not None else b


"""


def mend(folder: Path, body: str, head: str = HELPERS) -> str:
    source = head + f"def f(x, m=None):\n    {body}\n"
    after = Mended(folder, source, types={"f": {"x": (TENSOR,)}}).apply(RULE)
    return after.partition("def f(x, m=None):\n")[2].strip()


@pytest.mark.parametrize(
    "body",
    [
        "return exists(g(x))",  # asked once, but who knows
        "return default(m, g(x))",  # is evaluated in any case
        "return default(m, g)",  # a function, or not?
        "return default(m, lambda y: y)",
        "return default(*m)",
        "return default(m)",
        "return exists",
        "return first(m, a=x)",
        "exists = g\n    return exists(m)",
        "return self.exists(m)",
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, body: str) -> None:
    assert mend(tmp_path, body) == body


@pytest.mark.parametrize(
    "helper",
    [
        "def exists(val):\n    return g(val) is not None\n",
        "def exists(val):\n    return val is not LIMIT\n",
        "def exists(val):\n    return val\n",
        "def exists(val):\n    print(val)\n    return val is not None\n",
        "@cache\ndef exists(val):\n    return val is not None\n",
        "def exists(*val):\n    return val is not None\n",
        "def exists(val):\n    return exists(val) or val is None\n",
    ],
)
def test_other_functions_are_left_alone(tmp_path: Path, helper: str) -> None:
    assert mend(tmp_path, "return exists(m)", helper) == "return exists(m)"


def test_helpers_write_out_others(tmp_path: Path) -> None:
    assert "    if val is not None:\n" in Mended(tmp_path, HELPERS).apply(RULE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return exists(m)", "return m is not None"),
        ("return not exists(m)", "return m is None"),
        ("return not exists(m) and x", "return m is None and x"),
        ("return exists(m) == x", "return (m is not None) == x"),
        ("return exists(self.m) or exists(x)", "return self.m is not None or x is not None"),
        ("m = default(m, x)", "m = m if m is not None else x"),
        ("m = default(m, 'a')", "m = m if m is not None else 'a'"),
        ("m = first(m)", "m = m if m is not None else 0"),
        ("m = first(b=x, a=m)", "m = m if m is not None else x"),
        ("m = 2 * default(m, 3)", "m = 2 * (m if m is not None else 3)"),
        ("m = default(m, lambda: g(x, exists(m)))", "m = m if m is not None else g(x, m is not None)"),
        ("m = default(m, x) if exists(m) else 1", "m = (m if m is not None else x) if m is not None else 1"),
        ("m = default(\n    m, lambda: g(\n        x))", "m = m if m is not None else g(\n        x)"),
    ],
)
def test_what_comes_out(tmp_path: Path, before: str, after: str) -> None:
    assert mend(tmp_path, before) == after


ATOMS = st.sampled_from(["x", "m", "None", "0", "5"])
CALLS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("exists({})".format, ATOMS),
        st.builds("default({}, {})".format, ATOMS, st.sampled_from(["5", "lambda: x", "x"])),
        st.builds("first({}, {})".format, ATOMS, ATOMS),
        st.builds("not {}".format, inner),
        st.builds("({}) == ({})".format, inner, inner),
        st.builds("({}) or ({})".format, inner, inner),
        st.builds("({}) if ({}) else ({})".format, inner, inner, inner),
    ),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(expression=CALLS)
def test_answers_are_the_same(tmp_path_factory: pytest.TempPathFactory, expression: str) -> None:
    source = HELPERS + f"def f(x, m=None):\n    return {expression}\n"
    after = Mended(tmp_path_factory.mktemp("a"), source, types={"f": {"x": (TENSOR,)}}).apply(RULE)
    old, new = defined(source), defined(after)
    for x, m in itertools.product((None, 0, 3), repeat=2):
        assert old(x, m) == new(x, m)
