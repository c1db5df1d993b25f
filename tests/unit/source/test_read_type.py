"""Annotations as written → TypeExpr; what TorchScript has no type for stays unread."""

from __future__ import annotations

import pytest

from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr

INT, STR = TypeExpr("int"), TypeExpr("str")


@pytest.mark.parametrize(
    "text",
    ["", "Box", "shapes.Box", "Callable[[int], int]", "List[Box]", "Set[int]", "int |", "f()", "3", "'", "'Box'"],
)
def test_unread(text: str) -> None:
    assert read_annotation(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("int", INT),
        ("None", NONE),
        ("Any", ANY),
        ("typing.Any", ANY),
        ("Tensor", TENSOR),
        ("torch.Tensor", TENSOR),
        ("th.Tensor", TENSOR),
        ("torch.device", TypeExpr("torch.device")),
        ("List[int]", TypeExpr("list", (INT,))),
        ("list[int]", TypeExpr("list", (INT,))),
        ("typing.Dict[str, t.List[int]]", TypeExpr("dict", (STR, TypeExpr("list", (INT,))))),
        ("Tuple[int, str]", TypeExpr("tuple", (INT, STR))),
        ("Optional[int]", TypeExpr("Optional", (INT,))),
        ("Union[int, None]", TypeExpr("Union", (INT, NONE))),
        ("int | None", TypeExpr("Union", (INT, NONE))),
        ("'List[int]'", TypeExpr("list", (INT,))),
        ("List['int']", TypeExpr("list", (INT,))),
    ],
)
def test_read(text: str, expected: TypeExpr) -> None:
    assert read_annotation(text) == expected
