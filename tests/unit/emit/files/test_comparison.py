"""Lines are counted and compared as Python counts them."""

from __future__ import annotations

from pdt_annotate.emit.files.comparison import Comparison, compare
from pdt_annotate.values.outcome import FileChange


def test_the_same_lines_have_no_change() -> None:
    same = Comparison(["a", "b"], ["a", "b"])
    assert (same.hunks(), same.changed) == ([], frozenset())


def test_added_and_changed_lines_are_told() -> None:
    before = ["import b", "", "def f(x):", "    return x"]
    assert Comparison(before, ["import a", *before[:2], "def f(x: T):", before[3]]).changed == {1, 4}


def test_a_change_is_compared_by_its_text() -> None:
    before = b"# coding: latin-1\r\n# caf\xe9\r\n"
    assert compare(FileChange("m.py", before, before + b"x = 1\r\n")) == Comparison(
        ["# coding: latin-1", "# café"], ["# coding: latin-1", "# café", "x = 1"]
    )
