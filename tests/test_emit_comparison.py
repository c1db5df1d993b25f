"""Lines are counted as Python counts them, and followed from the old file to the new one."""

from __future__ import annotations

import ast

import pytest

from pdt_annotate.emit.comparison import Comparison, decode, split


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (b"", ""),
        (b"a\r\nb\rc\n", "a\nb\nc\n"),
        (b"\xef\xbb\xbfa\n", "a\n"),
        (b"# coding: latin-1\n# caf\xe9\n", "# coding: latin-1\n# café\n"),
        (b"# caf\xe9\n", "# caf\N{REPLACEMENT CHARACTER}\n"),
        (b"# coding: no-such\na\n", "# coding: no-such\na\n"),
        (b"a\x0cb\xc2\x85c\n", "a\x0cb\x85c\n"),
    ],
)
def test_decode(source: bytes, text: str) -> None:
    assert decode(source) == text


def test_lines_are_those_that_python_numbers() -> None:
    source = b'"""\x0c\r\n\x85\r"""\nx = 1'
    (statement,) = [each for each in ast.parse(source.decode("latin-1")).body if isinstance(each, ast.Assign)]
    assert split(decode(source))[statement.lineno - 1] == "x = 1"
    assert split("") == []
    assert split("a\n\n") == ["a", ""]


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
