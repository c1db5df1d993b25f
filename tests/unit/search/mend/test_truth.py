"""Which expressions are asked for their truth alone."""

from __future__ import annotations

import ast

import pytest

from pdt_annotate.search.mend.truth import tested as find


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = a or b", []),
        ("x = not a", ["a"]),
        ("if a and not (b or c): pass", ["a", "b", "c"]),
        ("x = 1 if a else b", ["a"]),
        ("assert a, b", ["a"]),
        ("while a > 1: pass", ["a > 1"]),
        ("[a for a in b if c]", ["c"]),
    ],
)
def test_what_is_tested(source: str, found: list[str]) -> None:
    assert list(map(ast.unparse, find(ast.parse(source)))) == found
