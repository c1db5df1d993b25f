"""Tests that None decides."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from mended import Mended

from pdt_annotate.search.mend import none_shortcuts
from pdt_annotate.values.places import Place
from pdt_annotate.values.types import NONE, TypeExpr
from pdt_annotate.values.verdicts import Failure


def mended(folder: Path, test: str, *seen: TypeExpr, line: int = 2) -> str:
    source = f"def f(x, c=None):\n    if {test}:\n        return 1\n    return 2\n"
    failure = Failure("no such operator", place=Place(str(folder / "model.py"), line, 8))
    one = Mended(folder, source, types={"f": {"c": seen}}, failures={"f": failure})
    found = one.find(none_shortcuts.RULE)
    changed = one.files.add(found, one.project).project.source(one.file).decode()
    return changed.partition("    if ")[2].partition(":\n        return 1")[0]


@pytest.mark.parametrize(
    ("test", "new"),
    [
        ("c is None or x in c", "True if c is None else x in c"),
        ("c is not None and x in c", "x in c if c is not None else False"),
        ("c is None or x in c or x == 1", "True if c is None else (x in c or x == 1)"),
        ("c is None or (1 if x else 0)", "True if c is None else (1 if x else 0)"),
    ],
)
def test_the_second_side_is_an_arm(tmp_path: Path, test: str, new: str) -> None:
    assert mended(tmp_path, test, NONE) == new
    for x, c in itertools.product((0, 1), (None, (), (1,), (0, 1))):
        assert bool(eval(test, {}, {"x": x, "c": c})) == bool(eval(new, {}, {"x": x, "c": c}))
