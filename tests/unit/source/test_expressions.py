"""What the source tells of an expression's type."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from pdt_annotate.source.expressions import bind, constant_of_module, element, type_of_expression
from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

INT = TypeExpr("int")


class Names:
    """A scope in which names have types, and `self.size` and `make()` do."""

    def __init__(self, **types: str) -> None:
        self.types: Mapping[str, TypeExpr | None] = {name: read_annotation(text) for name, text in types.items()}

    def type_of_name(self, name: str) -> TypeExpr | None:
        return self.types.get(name)

    def type_of_attribute(self, node: ast.Attribute) -> TypeExpr | None:
        return INT if ast.unparse(node) == "self.size" else None

    def type_of_call(self, node: ast.Call) -> TypeExpr | None:
        return TENSOR if ast.unparse(node) == "make()" else None


SCOPE = Names(
    t="Tensor", n="int", f="float", s="str", ts="List[Tensor]", ns="List[int]", d="Dict[str, int]", p="Tuple[int, str]"
)


def read(source: str) -> str:
    found = type_of_expression(ast.parse(source, mode="eval").body, SCOPE)
    return str(found) if found is not None else ""


TYPES = {
    "": (
        "unknown; unknown.thing; unknown + 1; unknown[0]; f(unknown); [unknown]; (1, unknown); {**d}; t.item(); "
        "t.tolist(); torch.max(t, 0); t.max(0); t.something_not_there(); t.something_not_there; "
        "torch.something_not_there(t); F.something_not_there(t); p[n]; n or s; [x for x in unknown]; d.pop('a'); "
        "lambda: 1"
    ),
    "int": "3; unknown.shape[0]; t.size(0); self.size; len(ts); max(n, 3); n + 1; -n; d['a']",
    "None": "None",
    "str": "f'{t}'; p[1]; s.lower()",
    "Tensor": "t; t[:, 0]; t.to(f).sum(); torch.relu(t); F.relu(t); t.topk(3)[1]; t.mT; make(); n * t; t > 1; ts[0]",
    "List[int]": "t.shape; t.shape[-2:]; t.size(); ns + [1]; ns[1:]; d.values(); [n, 2]; [x.shape[0] for x in ts]",
    "device": "t.device",
    "List[Tensor]": "t.split(2); [a * b for a, b in zip(ns, ts)]; [x for _, x in zip(unknown, ts)]",
    "Tuple[Tensor, Tensor]": "t.topk(3)",
    "dtype": "torch.float32",
    "float": "math.inf; float(n); n / 2; n * f",
    "bool": "isinstance(t, int); not t; n > 1; t is None",
    "Union[int, float]": "n if s else f",
    "Tuple[int, Tensor]": "(n, t)",
    "Dict[str, Tensor]": "{'a': t}",
    "List[Tuple[int, Tensor]]": "[(i, x) for i, x in enumerate(ts)]",
    "List[str]": "[k for k, v in d.items()]",
}
"""Expressions by their type; "" where the source does not tell it."""


@pytest.mark.parametrize(
    ("source", "expected"), [(source, type_) for type_, sources in TYPES.items() for source in sources.split("; ")]
)
def test_types(source: str, expected: str) -> None:
    assert read(source) == expected


def test_a_target_binds_each_of_its_names() -> None:
    target = ast.parse("a, (b, c)", mode="eval").body
    pair = TypeExpr("tuple", (INT, TypeExpr("list", (TENSOR,))))
    assert dict(bind(target, pair)) == {"a": INT, "b": TENSOR, "c": TENSOR}


@pytest.mark.parametrize(
    ("type_", "expected"), [(None, None), (INT, None), (TENSOR, TENSOR), (TypeExpr("list", (INT,)), INT), (NONE, None)]
)
def test_the_elements_of_a_type(type_: TypeExpr | None, expected: TypeExpr | None) -> None:
    assert element(type_) == expected


def test_a_member_that_is_no_constant_tells_nothing() -> None:
    node = ast.parse("self.e", mode="eval").body
    assert isinstance(node, ast.Attribute)
    assert constant_of_module(node) is None
