"""Names that one branch sets."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended, defined

from pdt_annotate.search.mend.unset_names import RULE
from pdt_annotate.source.expressions import INT

HEAD = "import torch\n\n\ndef f(x, n):\n    "
FLAGGED = "framed = False\n    {}if x.shape[0] > n:\n        width = {}\n        framed = True\n    {}"


def mended(folder: Path, body: str) -> str:
    return Mended(folder, HEAD + body, types={"f": {"n": (INT,)}}).apply(RULE).removeprefix(HEAD)


@pytest.mark.parametrize(
    "body",
    [
        FLAGGED.format("", 2, "return x"),
        FLAGGED.format("", 2, "return width"),
        FLAGGED.format("", 2, "return x if framed else width"),
        FLAGGED.format("", 2, "framed = n > 2\n    return width if framed else x"),
        FLAGGED.format("", "g(n)", "return width if framed else x"),
        FLAGGED.format("width = 3\n    ", 2, "return width if framed else x"),
        FLAGGED.format("framed = n > 1\n    ", 2, "return width if framed else x"),
        "if n > 2:\n        width = 2\n    n = 3\n    return width if n > 2 else x",
        "if g(n):\n        width = 2\n    return width if g(n) else x",
        "if x.n:\n        width = 2\n    return width if x.n else x",
        8 * "x = x + x + x\n    " + FLAGGED.format("", "x + x", "return width if framed else x"),  # many ways to x
        "if g(n):\n        x = 1\n    elif n > 2:\n        y = 2\n    if n > 2:\n        x = y\n    return x",
        "for i in x:\n        if i > n:\n            width = 2\n        if i > n:\n            x = width\n    return x",
    ],
)
def test_what_is_left_alone(tmp_path: Path, body: str) -> None:
    assert mended(tmp_path, body) == body


@pytest.mark.parametrize(
    ("value", "before"),
    [("2", "0"), ("n // 2", "0"), ("n / 2", "0.0"), ("x.shape[0]", "0"), ("n > 1", "False"), ('"a"', '""')],
)
def test_what_is_read_under_a_flag_of_the_branch(tmp_path: Path, value: str, before: str) -> None:
    rest = "return width if framed and n else x"
    assert mended(tmp_path, FLAGGED.format("", value, rest)) == FLAGGED.format(f"width = {before}\n    ", value, rest)


def test_what_is_read_under_the_same_test(tmp_path: Path) -> None:
    body = "{}if n > 2:\n        y = torch.relu(x)\n    if n > 2:\n        x = y\n    return x"
    assert mended(tmp_path, body.format("")) == body.format("y = torch.empty(0)\n    ")


def test_names_that_follow_from_another(tmp_path: Path) -> None:
    body = "{}if n > 2:\n        a = n * 2\n        b = a // 3\n    if n > 2:\n        x = a + b\n    return x"
    assert mended(tmp_path, body.format("")) == body.format("a = 0\n    b = 0\n    ")


@settings(max_examples=30, deadline=None)
@given(
    value=st.sampled_from(["n + 1", "n / 2", "n > 3"]),
    use=st.sampled_from(["width if framed else x", "x + width if n and framed else 0", "[width] if framed else []"]),
    n=st.integers(-1, 5),
)
def test_answers_are_the_same(tmp_path_factory: pytest.TempPathFactory, value: str, use: str, n: int) -> None:
    body = f"framed = False\n    if x > n:\n        width = {value}\n        framed = True\n    return {use}"
    after = mended(tmp_path_factory.mktemp("a"), body)
    assert after != body
    old, new = defined(HEAD + body), defined(HEAD + after)
    assert old(2, n) == new(2, n)
