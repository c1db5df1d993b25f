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


@pytest.mark.parametrize(
    "source",
    [
        "unknown",
        "unknown.thing",
        "unknown + 1",
        "unknown[0]",
        "f(unknown)",
        "[unknown]",
        "(1, unknown)",
        "{**d}",
        "t.item()",
        "t.tolist()",
        "torch.max(t, 0)",
        "t.max(0)",
        "t.something_not_there()",
        "t.something_not_there",
        "torch.something_not_there(t)",
        "F.something_not_there(t)",
        "p[n]",
        "n or s",
        "[x for x in unknown]",
        "d.pop('a')",
        "lambda: 1",
    ],
)
def test_what_the_source_does_not_tell_is_not_guessed(source: str) -> None:
    assert read(source) == ""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("3", "int"),
        ("None", "None"),
        ("f'{t}'", "str"),
        ("t", "Tensor"),
        ("t.shape", "List[int]"),
        ("unknown.shape[0]", "int"),
        ("t.shape[-2:]", "List[int]"),
        ("t.device", "device"),
        ("t.size()", "List[int]"),
        ("t.size(0)", "int"),
        ("t[:, 0]", "Tensor"),
        ("t.to(f).sum()", "Tensor"),
        ("t.split(2)", "List[Tensor]"),
        ("torch.relu(t)", "Tensor"),
        ("F.relu(t)", "Tensor"),
        ("t.topk(3)", "Tuple[Tensor, Tensor]"),
        ("t.topk(3)[1]", "Tensor"),
        ("t.mT", "Tensor"),
        ("torch.float32", "dtype"),
        ("math.inf", "float"),
        ("self.size", "int"),
        ("make()", "Tensor"),
        ("len(ts)", "int"),
        ("isinstance(t, int)", "bool"),
        ("float(n)", "float"),
        ("max(n, 3)", "int"),
        ("n + 1", "int"),
        ("n / 2", "float"),
        ("n * f", "float"),
        ("n * t", "Tensor"),
        ("-n", "int"),
        ("not t", "bool"),
        ("n > 1", "bool"),
        ("t > 1", "Tensor"),
        ("t is None", "bool"),
        ("ns + [1]", "List[int]"),
        ("ts[0]", "Tensor"),
        ("ns[1:]", "List[int]"),
        ("d['a']", "int"),
        ("d.values()", "List[int]"),
        ("p[1]", "str"),
        ("s.lower()", "str"),
        ("n if s else f", "Union[int, float]"),
        ("[n, 2]", "List[int]"),
        ("(n, t)", "Tuple[int, Tensor]"),
        ("{'a': t}", "Dict[str, Tensor]"),
        ("[x.shape[0] for x in ts]", "List[int]"),
        ("[(i, x) for i, x in enumerate(ts)]", "List[Tuple[int, Tensor]]"),
        ("[a * b for a, b in zip(ns, ts)]", "List[Tensor]"),
        ("[k for k, v in d.items()]", "List[str]"),
        ("[x for _, x in zip(unknown, ts)]", "List[Tensor]"),
    ],
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
