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


@pytest.mark.parametrize(
    ("part", "name"),
    [
        (FUNCTIONS, "something_not_there"),
        (FUNCTIONS, "save_"),
        (FUNCTIONS, "max"),
        (FUNCTIONS, "where"),
        (FUNCTIONS, "compile"),
        (FUNCTIONAL, "handle_torch_function"),
        (METHODS, "something_not_there"),
        (METHODS, "item"),
        (METHODS, "size"),
        (METHODS, "tolist"),
        (METHODS, "numpy"),
        (METHODS, "shape"),
        (ATTRIBUTES, "something_not_there"),
        (ATTRIBUTES, "grad_fn"),
        (ATTRIBUTES, "layout"),
        (ATTRIBUTES, "sum"),
    ],
)
def test_what_torch_does_not_tell_is_unknown(part: str, name: str) -> None:
    assert type_of_operator(part, name) is None


@pytest.mark.parametrize(
    ("part", "name", "expected"),
    [
        (FUNCTIONS, "relu", "Tensor"),
        (FUNCTIONS, "split", "List[Tensor]"),
        (FUNCTIONS, "topk", "Tuple[Tensor, Tensor]"),
        (FUNCTIONS, "add", "Tensor"),
        (FUNCTIONS, "is_floating_point", "bool"),
        (FUNCTIONS, "device", "device"),
        (FUNCTIONS, "result_type", "dtype"),
        (FUNCTIONAL, "interpolate", "Tensor"),
        (FUNCTIONAL, "max_pool2d", "Tensor"),
        (FUNCTIONAL, "max_pool2d_with_indices", "Tuple[Tensor, Tensor]"),
        (METHODS, "add_", "Tensor"),
        (METHODS, "float", "Tensor"),
        (METHODS, "dim", "int"),
        (METHODS, "unbind", "List[Tensor]"),
        (METHODS, "backward", "None"),
        (ATTRIBUTES, "shape", "List[int]"),
        (ATTRIBUTES, "dtype", "dtype"),
        (ATTRIBUTES, "is_cuda", "bool"),
        (ATTRIBUTES, "mT", "Tensor"),
    ],
)
def test_types(part: str, name: str, expected: str) -> None:
    assert str(type_of_operator(part, name)) == expected


@pytest.mark.parametrize(
    ("part", "name"),
    [
        *((METHODS, name) for name in ("split", "values", "index", "type", "something_not_there", "shape")),
        *((ATTRIBUTES, name) for name in ("real", "name", "data", "weight", "sum")),
    ],
)
def test_what_other_types_have_too_is_no_sign_of_a_tensor(part: str, name: str) -> None:
    assert not is_tensors_alone(part, name)


@pytest.mark.parametrize(
    ("part", "name"), [(METHODS, "sum"), (METHODS, "size"), (METHODS, "max"), (ATTRIBUTES, "shape")]
)
def test_what_a_tensor_alone_has(part: str, name: str) -> None:
    assert is_tensors_alone(part, name)


def test_the_table_is_read_when_it_is_asked_and_without_torch() -> None:
    program = (
        "import sys; from pdt_annotate.source import read_type as o; assert not o._table.cache_info().currsize;"
        "o.type_of_operator('torch', 'relu'); assert o._table.cache_info().currsize; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
