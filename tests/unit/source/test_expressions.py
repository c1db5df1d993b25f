"""Expressions and annotations → TypeExpr. Types that TorchScript does not have are not read."""

import ast
import subprocess
import sys
from collections.abc import Mapping

import pytest

from pdt_annotate.source.expressions import bind, constant_of_module, element, type_of_expression
from pdt_annotate.source.read_type import (
    ATTRIBUTES,
    FUNCTIONAL,
    FUNCTIONS,
    METHODS,
    is_tensors_alone,
    read_annotation,
    type_of_operator,
)
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

INT = TypeExpr("int")


class Names:
    """A scope with types for names, `self.size` and `make()`."""

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
"""The types of expressions; "" if the source does not show the type."""


@pytest.mark.parametrize(
    ("source", "expected"), [(source, type_) for type_, sources in TYPES.items() for source in sources.split("; ")]
)
def test_types(source: str, expected: str) -> None:
    assert str(type_of_expression(ast.parse(source, mode="eval").body, SCOPE) or "") == expected


def test_a_target_binds_each_of_its_names_and_types_have_elements() -> None:
    target = ast.parse("a, (b, c)", mode="eval").body
    pair = TypeExpr("tuple", (INT, TypeExpr("list", (TENSOR,))))
    assert dict(bind(target, pair)) == {"a": INT, "b": TENSOR, "c": TENSOR}
    types = (None, INT, TENSOR, TypeExpr("list", (INT,)), NONE)
    assert list(map(element, types)) == [None, None, TENSOR, INT, None]


def test_a_member_that_is_no_constant_tells_nothing() -> None:
    node = ast.parse("self.e", mode="eval").body
    assert isinstance(node, ast.Attribute)
    assert constant_of_module(node) is None


ANNOTATIONS = {
    None: "; Box; shapes.Box; Callable[[int], int]; List[Box]; Set[int]; int |; f(); 3; '; 'Box'",
    "int": "int",
    "None": "None",
    "Any": "Any; typing.Any",
    "Tensor": "Tensor; torch.Tensor; th.Tensor",
    "device": "torch.device",
    "List[int]": "List[int]; list[int]; 'List[int]'; List['int']",
    "Dict[str, List[int]]": "typing.Dict[str, t.List[int]]",
    "Tuple[int, str]": "Tuple[int, str]",
    "Optional[int]": "Optional[int]",
    "Union[int, None]": "Union[int, None]; int | None",
}


@pytest.mark.parametrize(
    ("text", "expected"), [(text, type_) for type_, texts in ANNOTATIONS.items() for text in texts.split("; ")]
)
def test_annotations(text: str, expected: str | None) -> None:
    found = read_annotation(text)
    assert (found and str(found)) == expected


OPERATORS: dict[tuple[str, str | None], str] = {
    **{(FUNCTIONS, None): "something_not_there save_ max where compile", (FUNCTIONAL, None): "handle_torch_function"},
    (METHODS, None): "something_not_there item size tolist numpy shape",
    **{(ATTRIBUTES, None): "something_not_there grad_fn layout sum", (FUNCTIONS, "Tensor"): "relu add"},
    **{(FUNCTIONS, "List[Tensor]"): "split", (FUNCTIONS, "Tuple[Tensor, Tensor]"): "topk"},
    **{(FUNCTIONS, "bool"): "is_floating_point", (FUNCTIONS, "device"): "device", (FUNCTIONS, "dtype"): "result_type"},
    (FUNCTIONAL, "Tensor"): "interpolate max_pool2d",
    **{(FUNCTIONAL, "Tuple[Tensor, Tensor]"): "max_pool2d_with_indices", (METHODS, "Tensor"): "add_ float"},
    **{(METHODS, "int"): "dim", (METHODS, "List[Tensor]"): "unbind", (METHODS, "None"): "backward"},
    **{(ATTRIBUTES, "List[int]"): "shape", (ATTRIBUTES, "dtype"): "dtype", (ATTRIBUTES, "bool"): "is_cuda"},
    (ATTRIBUTES, "Tensor"): "mT",
}
"""Names by the module of torch that contains them, and their types; None if torch does not define the type."""


@pytest.mark.parametrize(
    ("part", "name", "expected"),
    [(part, name, type_) for (part, type_), names in OPERATORS.items() for name in names.split()],
)
def test_types_of_operators(part: str, name: str, expected: str | None) -> None:
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
