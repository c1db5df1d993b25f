"""How a body uses a name."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from pdt_annotate.source.locals import is_open, open_locals
from pdt_annotate.source.survey import Definition
from pdt_annotate.source.syntax import assignments, first_assignment
from pdt_annotate.source.uses import is_only_iterated


def function(source: str) -> Definition:
    (node,) = ast.parse(dedent(source)).body
    assert isinstance(node, Definition)
    return node


@pytest.mark.parametrize(
    "body",
    [
        "pass",
        "return x[0]",
        "a, b = x",
        "x = list(x)",
        "for i in range(len(x)): x[i]",
        "for i in y: x",
        "return f(x)",
        "return sum(y, x) + x",
        "for v in x: pass\n    return x.count(1)",
    ],
)
def test_other_uses(body: str) -> None:
    assert not is_only_iterated(function(f"def f(x, y):\n    {body}"), "x")


@pytest.mark.parametrize(
    "body",
    [
        "for v in x: pass",
        "return [v for v in x]",
        "return len(x)",
        "return sum(x) + max(v for v in x)",
        "for i, v in enumerate(x): pass",
    ],
)
def test_only_iterated(body: str) -> None:
    assert is_only_iterated(function(f"def f(x):\n    {body}"), "x")


@pytest.mark.parametrize("value", ["1", "'a'", "x", "f()", "torch.zeros(1)", "x + 1", "a if b else c", "f'{x}'"])
def test_values_that_tell_their_type(value: str) -> None:
    assert not is_open(ast.parse(value, mode="eval").body)


@pytest.mark.parametrize(
    "value",
    ["None", "[]", "{}", "[x]", "()", "[0] * n", "[[] for _ in x]", "{k: v for k in x}", "list()", "None if x else y"],
)
def test_values_that_leave_it_open(value: str) -> None:
    assert is_open(ast.parse(value, mode="eval").body)


def test_open_locals_are_those_whose_first_assignment_is_open() -> None:
    node = function("""
        def f(x):
            a = 1
            a = []
            b = []
            b = 1
            c, d = [], {}
            e: list = []
            g = h = []
            if x:
                k = None
            self.m = []
            b[0] = []
    """)
    assert list(open_locals(node)) == [("b", 5), ("k", 11)]


def test_assignments_in_source_order() -> None:
    node = function("""
        def f(x):
            if x:
                a = 2
            a = 3
            a += 1
    """)
    assert [each.lineno for each in assignments(node, "a")] == [4, 5]
    first = first_assignment(node, "a")
    assert first is not None and first.lineno == 4
    assert first_assignment(node, "b") is None
