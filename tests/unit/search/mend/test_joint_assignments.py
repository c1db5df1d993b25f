"""Several values assigned at once, empty containers among them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mended import Mended

from pdt_annotate.search.mend import joint_assignments


def mended(folder: Path, statement: str) -> str:
    source = f"def f(x):\n    a = b = 0\n    {statement}\n    return a, b\n"
    changed = Mended(folder, source).apply(joint_assignments.RULE)
    return changed.removeprefix("def f(x):\n    a = b = 0\n").removesuffix("    return a, b\n")


@pytest.mark.parametrize(
    "statement",
    [
        "a, b = b, []",
        "a, b = 1, 2",
        "a, a = [], []",
        "a, *b = [], 1, 2",
        "a, b = *x, []",
        "a, x[0] = [], 1",
        "a = b = []",
        "(a, b), c = [], 1",
    ],
)
def test_left_alone(tmp_path: Path, statement: str) -> None:
    assert mended(tmp_path, statement) == f"    {statement}\n"


@pytest.mark.parametrize(
    ("statement", "lines"),
    [
        ("a, b = {}, []", ["a = {}", "b = []"]),
        ("a, b, c = {}, len(x), x + 1  # why", ["a = {}", "b = len(x)", "c = x + 1  # why"]),
    ],
)
def test_one_for_each(tmp_path: Path, statement: str, lines: list[str]) -> None:
    assert mended(tmp_path, statement) == "".join(f"    {line}\n" for line in lines)


VALUES = st.sampled_from(["[]", "{}", "1", "x", "x + 1", "a", "b", "[a]", "(b, x)"])


@settings(max_examples=60, deadline=None)
@given(st.lists(VALUES, min_size=2, max_size=3))
def test_python_gives_the_names_the_same_values(tmp_path_factory: pytest.TempPathFactory, values: list[str]) -> None:
    names = ["a", "b", "c"][: len(values)]
    source = f"def f(x, a, b, c):\n    {', '.join(names)} = {', '.join(values)}\n    return a, b, c\n"
    changed = Mended(tmp_path_factory.mktemp("joint"), source).apply(joint_assignments.RULE)
    before: dict[str, object] = {}
    after: dict[str, object] = {}
    exec(source, before)
    exec(changed, after)
    assert before["f"](1, 2, 3, 4) == after["f"](1, 2, 3, 4)  # type: ignore[operator]
