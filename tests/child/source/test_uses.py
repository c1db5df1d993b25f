"""The type that a body's uses of a name speak for."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from pdt_annotate.source.survey import Definition
from pdt_annotate.source.uses import infer_from_uses, is_used_as_tensor
from pdt_annotate.values.types import TENSOR, TypeExpr

INT, STR, BOOL = (TypeExpr(name) for name in ("int", "str", "bool"))
TENSORS = TypeExpr("list", (TENSOR,))
TABLE = TypeExpr("dict", (STR, TENSOR))


def body(source: str) -> Definition:
    (node,) = ast.parse(f"def f(self, x, y):\n    {source}").body
    assert isinstance(node, Definition)
    return node


@pytest.mark.parametrize(
    "source",
    [
        "pass",
        "return y['a']",
        "return x + 1",
        "return f(x)",
        "return x[0], x[1:]",
        "return x == 1",
        "return x is None",
        "return self.x",
        "return y.x.items()",
        "return y[x]",
        "return 'a' in y",
        "for y in range(3): x",
        "for y in enumerate(x): pass",
        "for a, b in zip(x, y, x): pass",
    ],
)
def test_uses_that_say_nothing(source: str) -> None:
    assert infer_from_uses(body(source), "x") is None


@pytest.mark.parametrize(
    "source",
    [
        "return x.shape",
        "return x.size(0)",
        "for t in x: print(x.device)",
        "x.masked_fill_(y, 0)",
        "return y(x[:, 0])",
        "if x: return x.sum()",
        "x.dtype = 'a'",
    ],
)
def test_what_speaks_for_a_tensor_outweighs_the_rest(source: str) -> None:
    assert is_used_as_tensor(body(source), "x")
    assert infer_from_uses(body(source), "x") is None


@pytest.mark.parametrize(
    "source",
    [
        "pass",
        "x.append(1)",
        "return y.shape",
        "return x['a']",
        "x = y.size(0)",
        "return x.dim",
        "return x.split(',')",
        "return x.something_not_there()",
        "return y.f(x).sum()",
    ],
)
def test_not_used_as_tensor(source: str) -> None:
    assert not is_used_as_tensor(body(source), "x")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("return x['a']", TABLE),
        ("return x[f'{y}']", TABLE),
        ("return x.items()", TABLE),
        ("return 'a' in x", TABLE),
        ("return 'a' not in x", TABLE),
        ("for i in range(x): pass", INT),
        ("return y if x else None", BOOL),
        ("if x: return y", BOOL),
        ("while x: pass", BOOL),
        ("return not x", BOOL),
        ("return x and y", BOOL),
        ("return x == True", BOOL),
        ("return x == 'sum'", STR),
        ("return 'sum' != x", STR),
        ("return x in ('sum', 'mean')", STR),
        ("return x.lower()", STR),
        ("x.append(y)", TENSORS),
        ("return [t for t in x]", TENSORS),
        ("for t in x: t.sum()", TENSORS),
        ("for t in x: t['boxes']", TypeExpr("list", (TABLE,))),
        ("for i, t in enumerate(x): t['boxes']", TypeExpr("list", (TABLE,))),
        ("for a, t in zip(y, x): t['boxes']", TypeExpr("list", (TABLE,))),
        ("for i, (a, t) in enumerate(zip(y, x)): t['boxes']", TypeExpr("list", (TABLE,))),
        ("for name in x: name == 'a'", TypeExpr("list", (STR,))),
        ("for row in x: [t['a'] for t in row]", TypeExpr("list", (TypeExpr("list", (TABLE,)),))),
    ],
)
def test_what_uses_speak_for(source: str, expected: TypeExpr) -> None:
    assert infer_from_uses(body(source), "x") == expected


def test_a_name_that_runs_over_itself_comes_to_an_end() -> None:
    node = ast.parse(
        dedent("""
        def f(x):
            for x in x:
                pass
    """)
    ).body[0]
    assert isinstance(node, Definition)
    found = infer_from_uses(node, "x")
    assert found is not None and str(found) == "List[List[List[Tensor]]]"
