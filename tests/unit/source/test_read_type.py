"""Annotations as written → TypeExpr; what TorchScript has no type for stays unread."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pdt_annotate.source.read_type import (
    ATTRIBUTES,
    FUNCTIONAL,
    FUNCTIONS,
    METHODS,
    is_tensors_alone,
    read_annotation,
    type_of_operator,
)
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


OPERATORS: dict[tuple[str, str | None], str] = {
    (FUNCTIONS, None): "something_not_there save_ max where compile",
    (FUNCTIONAL, None): "handle_torch_function",
    (METHODS, None): "something_not_there item size tolist numpy shape",
    (ATTRIBUTES, None): "something_not_there grad_fn layout sum",
    (FUNCTIONS, "Tensor"): "relu add",
    (FUNCTIONS, "List[Tensor]"): "split",
    (FUNCTIONS, "Tuple[Tensor, Tensor]"): "topk",
    (FUNCTIONS, "bool"): "is_floating_point",
    (FUNCTIONS, "device"): "device",
    (FUNCTIONS, "dtype"): "result_type",
    (FUNCTIONAL, "Tensor"): "interpolate max_pool2d",
    (FUNCTIONAL, "Tuple[Tensor, Tensor]"): "max_pool2d_with_indices",
    (METHODS, "Tensor"): "add_ float",
    (METHODS, "int"): "dim",
    (METHODS, "List[Tensor]"): "unbind",
    (METHODS, "None"): "backward",
    (ATTRIBUTES, "List[int]"): "shape",
    (ATTRIBUTES, "dtype"): "dtype",
    (ATTRIBUTES, "bool"): "is_cuda",
    (ATTRIBUTES, "Tensor"): "mT",
}
"""Names by the part of torch that they are in and their type; None where torch does not tell it."""


@pytest.mark.parametrize(
    ("part", "name", "expected"),
    [(part, name, type_) for (part, type_), names in OPERATORS.items() for name in names.split()],
)
def test_types(part: str, name: str, expected: str | None) -> None:
    found = type_of_operator(part, name)
    assert (found and str(found)) == expected


SIGNS = {
    (METHODS, False): "split values index type something_not_there shape",
    (ATTRIBUTES, False): "real name data weight sum",
    (METHODS, True): "sum size max",
    (ATTRIBUTES, True): "shape",
}


@pytest.mark.parametrize(
    ("part", "name", "is_sign"), [(part, name, sign) for (part, sign), names in SIGNS.items() for name in names.split()]
)
def test_what_a_tensor_alone_has_is_a_sign_of_one(part: str, name: str, is_sign: bool) -> None:
    assert is_tensors_alone(part, name) is is_sign


def test_the_table_is_read_when_it_is_asked_and_without_torch() -> None:
    program = (
        "import sys; from pdt_annotate.source import read_type as o; assert not o._table.cache_info().currsize;"
        "o.type_of_operator('torch', 'relu'); assert o._table.cache_info().currsize; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
