"""The compiler's spelling of types, as the compiler itself prints it."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Union

import pytest
import torch
from torch import Tensor

from pdt_annotate.findings.compiler_types import named_classes, parse_type
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr

INT, FLOAT, STR = (TypeExpr(name) for name in ("int", "float", "str"))
NUMBER = TypeExpr("Union", (INT, FLOAT, TypeExpr("complex")))


UNKNOWN = ("", "list", "List[", "List[int", "int int", "Foo", "(int) -> int", "(int", "int[", "Dict(", "<x>", "]")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        *((text, None) for text in UNKNOWN),
        ("Tensor (inferred)", TENSOR),
        ("Optional[Tensor]", TypeExpr("Optional", (TENSOR,))),
        ("Tensor?", TypeExpr("Optional", (TENSOR,))),
        ("int[]", TypeExpr("list", (INT,))),
        ("int[]?", TypeExpr("Optional", (TypeExpr("list", (INT,)),))),
        ("int?[]", TypeExpr("list", (TypeExpr("Optional", (INT,)),))),
        ("Dict(str, Tensor[])", TypeExpr("dict", (STR, TypeExpr("list", (TENSOR,))))),
        ("Tuple[()]", TypeExpr("tuple")),
        ("()", TypeExpr("tuple")),
        ("(int, (str))[]", TypeExpr("list", (TypeExpr("tuple", (INT, TypeExpr("tuple", (STR,)))),))),
        ("number", NUMBER),
        ("Scalar", NUMBER),
        ("__torch__.shapes.___torch_mangle_3.Box", TypeExpr("shapes.Box")),
        ("NoneType", NONE),
        ("Any", ANY),
    ],
)
def test_spellings(text: str, expected: TypeExpr | None) -> None:
    assert parse_type(text) == expected


class Point(NamedTuple):
    x: int


@torch.jit.script
class Box:
    def __init__(self, side: int) -> None:
        self.side = side


@torch.jit.script
def takes_classes(point: Point, box: Box) -> int:
    return point.x + box.side


def test_classes_of_a_compiled_function() -> None:
    schema: Any = takes_classes.schema
    found = [parse_type(str(argument.type)) for argument in schema.arguments]
    assert found == [TypeExpr(f"{__name__}.Point"), TypeExpr(f"{__name__}.Box")]


ANNOTATIONS: list[tuple[Any, TypeExpr]] = [
    (int, INT),
    (Tensor, TENSOR),
    (Optional[Tensor], TypeExpr("Optional", (TENSOR,))),  # noqa: UP045
    (list[list[int]], TypeExpr("list", (TypeExpr("list", (INT,)),))),
    (dict[str, tuple[int, Tensor]], TypeExpr("dict", (STR, TypeExpr("tuple", (INT, TENSOR))))),
    (Union[int, str], TypeExpr("Union", (INT, STR))),  # noqa: UP007
    (torch.device, TypeExpr("torch.device")),
    (torch.Generator, TypeExpr("torch.Generator")),
    (Any, ANY),
    (tuple[()], TypeExpr("tuple")),
]


@pytest.mark.parametrize(("annotation", "expected"), ANNOTATIONS, ids=[str(expected) for _, expected in ANNOTATIONS])
def test_types_of_compiled_functions(annotation: Any, expected: TypeExpr) -> None:
    native = torch.jit.annotations.try_ann_to_type(annotation, None)
    found = parse_type(str(native))
    if expected.name == "Union" and found is not None:
        assert set(found.args) == set(expected.args)
    else:
        assert found == expected
    assert parse_type(native.annotation_str) is not None


def test_the_classes_that_a_text_mentions() -> None:
    text = "Union[Tensor, __torch__.pkg.___torch_mangle_3.shapes.Box] for '__torch__.pkg.shapes.Box', List[int]."
    assert named_classes(text) == ["pkg.shapes.Box"]
    assert named_classes("List[Tensor]") == []
