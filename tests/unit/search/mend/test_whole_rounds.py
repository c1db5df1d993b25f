"""`round` that gives a whole number."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.whole_rounds import RULE
from pdt_annotate.source.expressions import INT
from pdt_annotate.values.types import TENSOR

HEAD = "def f(x, n):\n    "


def mended(folder: Path, line: str, *types: object) -> str:
    module = Mended(folder, HEAD + line, types={"f": {"k": types or (INT,)}})  # type: ignore[dict-item]
    return module.apply(RULE).removeprefix(HEAD)


@pytest.mark.parametrize(
    "line",
    [
        "k = int(round(n / 2))",
        "k = round(n, 1)",
        "k = g(round(n / 2))",
        "k, m = round(n), 2",
        "return round(n)",
        "k = n.round()",
    ],
)
def test_what_is_left_alone(tmp_path: Path, line: str) -> None:
    assert mended(tmp_path, line) == line


def test_what_was_no_int_is_left_alone(tmp_path: Path) -> None:
    assert mended(tmp_path, "k = round(x)", TENSOR) == mended(tmp_path, "k = round(x)", INT, TENSOR) == "k = round(x)"


def test_a_number_by_the_source_is_whole(tmp_path: Path) -> None:
    module = Mended(tmp_path, HEAD + "k = max(1, round(min(x.size()[-2:]) / 256)), round(n)")
    assert module.apply(RULE) == HEAD + "k = max(1, round(min(x.size()[-2:]) / 256)), round(n)"
    module = Mended(tmp_path, HEAD + "k = max(1, round(min(x.size()[-2:]) / 256))")
    assert module.apply(RULE) == HEAD + "k = max(1, int(round(min(x.size()[-2:]) / 256)))"


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("k = round(n / 2)", "k = int(round(n / 2))"),
        ("k = max(1, -round(n / 2) * 2)", "k = max(1, -int(round(n / 2)) * 2)"),
    ],
)
def test_what_is_mended(tmp_path: Path, line: str, after: str) -> None:
    assert mended(tmp_path, line) == after
