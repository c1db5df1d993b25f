"""Parameters behind a bare star."""

from __future__ import annotations

from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend.keyword_only import RULE


@pytest.mark.parametrize(
    "head",
    [
        "x, n=2",
        "x, *, n",
        "x, *args, n=2",
        "x, *, n=2, m",
        "x=1, *, m, n=2",
        "x, **kwargs",
        "x, *,  # by name\n    n=2",
    ],
)
def test_what_it_must_leave_alone(tmp_path: Path, head: str) -> None:
    source = f"def f({head}):\n    return x\n"
    assert Mended(tmp_path, source).apply(RULE) == source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x, *, n=2", "x, n=2"),
        ("*, n=2", "n=2"),
        ("x, *, m, n: int = 2", "x, m, n: int = 2"),
        ("x, /, *, n=2, **kwargs", "x, /, n=2, **kwargs"),
        ("\n    x=3 * 2,\n    *,\n    n=2,\n", "\n    x=3 * 2,\n    n=2,\n"),
    ],
)
def test_the_star_goes(tmp_path: Path, before: str, after: str) -> None:
    source = "def f({}):\n    return n * 2\n"
    assert Mended(tmp_path, source.format(before)).apply(RULE) == source.format(after)
