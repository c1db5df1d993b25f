"""Lines are counted as Python counts them, and followed from the old file to the new one."""

from __future__ import annotations

from pdt_annotate.emit.files.comparison import Comparison, compare
from pdt_annotate.values.outcome import FileChange


def test_the_same_lines_have_no_change() -> None:
    same = Comparison(["a", "b"], ["a", "b"])
    assert (same.hunks(), same.changed) == ([], frozenset())
    assert [same.follow(line) for line in range(3)] == [0, 1, 2]


def test_lines_are_followed() -> None:
    before = ["import b", "", "def f(x):", "    return x"]
    lines = Comparison(before, ["import a", *before[:2], "def f(x: T):", before[3]])
    assert lines.changed == {1, 4}
    assert [lines.follow(line) for line in range(5)] == [0, 2, 3, 4, 5]
    assert lines.follow(99) == 5


def test_a_line_that_is_gone_leads_to_its_neighbour() -> None:
    lines = Comparison(["a", "b", "c", "d"], ["a", "d"])
    assert [lines.follow(line) for line in (1, 2, 3, 4)] == [1, 1, 1, 2]
    assert Comparison(["a"], []).follow(1) == 0


def test_a_change_is_compared_by_its_text() -> None:
    before = b"# coding: latin-1\r\n# caf\xe9\r\n"
    assert compare(FileChange("m.py", before, before + b"x = 1\r\n")) == Comparison(
        ["# coding: latin-1", "# café"], ["# coding: latin-1", "# café", "x = 1"]
    )


def test_lines_are_followed_there_and_back() -> None:
    before, after = ["a", "b", "c", "d"], ["new", "new", "a", "b: int", "c", "d"]
    assert [Comparison(before, after).follow(line) for line in range(1, 5)] == [3, 4, 5, 6]
    assert [Comparison(after, before).follow(line) for line in range(1, 7)] == [1, 1, 1, 2, 3, 4]
