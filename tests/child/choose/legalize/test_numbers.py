"""The choice between number types: single ones stay, and the compiler's trials that decided the rest."""

import pytest
import torch
from compiler_messages import load

from pdt_annotate.choose.legalize import legalize
from pdt_annotate.choose.legalize.numbers import NUMBERS, SCALAR
from pdt_annotate.values.slots import SlotKind
from pdt_annotate.values.types import NONE, TypeExpr, short_name, union

PARAMETER, RETURN, LOCAL, ATTRIBUTE = SlotKind
INT, FLOAT, COMPLEX, BOOL = map(TypeExpr, NUMBERS)
U_IF, U_IB, U_FB, U_IFB = "Union[int, float]", "Union[int, bool]", "Union[float, bool]", "Union[int, float, bool]"
SCALAR_TEXT = "Union[int, float, complex]"


def choices(type, kind=PARAMETER):
    result = legalize(type, kind, {})
    return [each.spell(short_name) for each in (result.type, *result.alternatives)]


@pytest.fixture
def script(tmp_path):
    head = "import torch.nn.functional as F\n\n\n"
    return lambda signature, body: torch.jit.script(load(f"{head}def f({signature}):\n    {body}\n", tmp_path).f)


@pytest.mark.parametrize("type", [INT, FLOAT, COMPLEX, BOOL])
@pytest.mark.parametrize("kind", SlotKind)
def test_leaves_one_number_alone(type, kind):
    assert choices(type, kind) == [type.name]


@pytest.mark.parametrize("other", ["str", "torch.Tensor"])
def test_leaves_a_number_beside_another_type_alone(other):
    assert choices(union(INT, BOOL, TypeExpr(other))) == [f"Union[int, bool, {short_name(other)}]"]


@pytest.mark.parametrize(
    ("members", "kind", "wanted"),
    [
        ((INT, FLOAT), PARAMETER, [U_IF, SCALAR_TEXT, "float"]),
        ((INT, FLOAT), RETURN, [U_IF, SCALAR_TEXT, "float"]),
        ((INT, FLOAT), LOCAL, [SCALAR_TEXT, U_IF, "float"]),
        ((INT, FLOAT), ATTRIBUTE, ["float", SCALAR_TEXT, U_IF]),
        ((INT, BOOL), PARAMETER, ["int", U_IB, "bool"]),
        ((INT, BOOL), RETURN, [U_IB, "int", "bool"]),
        ((FLOAT, BOOL), PARAMETER, [SCALAR_TEXT, "float", U_FB]),
        ((INT, FLOAT, BOOL), PARAMETER, [SCALAR_TEXT, "float", U_IFB]),
        ((FLOAT, COMPLEX), PARAMETER, [SCALAR_TEXT, "Union[float, complex]", "complex"]),
        ((INT, FLOAT, COMPLEX), PARAMETER, [SCALAR_TEXT, "complex"]),
        ((TypeExpr("numpy.float32"), INT), PARAMETER, [U_IF, SCALAR_TEXT, "float"]),
        ((TypeExpr("numpy.float32"), FLOAT), PARAMETER, ["float"]),
    ],
)
def test_choices(members, kind, wanted):
    assert choices(union(*members), kind) == wanted
    assert choices(union(*members[::-1]), kind) == wanted


def test_none_goes_around_every_choice():
    assert choices(union(INT, FLOAT, NONE)) == [f"Optional[{each}]" for each in (U_IF, SCALAR_TEXT, "float")]


def test_elements_prefer_float():
    assert choices(TypeExpr("list", (union(INT, FLOAT),))) == ["List[float]", f"List[{SCALAR_TEXT}]", f"List[{U_IF}]"]
    assert choices(TypeExpr("dict", (TypeExpr("str"), union(INT, FLOAT))))[0] == "Dict[str, float]"


@pytest.mark.parametrize("body", ["return 1 if x else 2", "return F.dropout(t, x, False)", "return torch.tensor(x)"])
def test_scalar_compiles_where_the_union_of_int_and_float_does_not(script, body):
    script(f"t: Tensor, x: {SCALAR_TEXT}", body)
    with pytest.raises(RuntimeError):
        script(f"t: Tensor, x: {U_IF}", body)


@pytest.mark.parametrize("value", [1, 2.5])
def test_the_union_keeps_int_and_float_apart_and_float_does_not(script, value):
    assert type(script(f"x: {U_IF}", "return x * 2")(value)) is type(value)
    assert type(script("x: float", "return x * 2")(value)) is float


def test_what_holds_a_bool(script):
    assert script(f"x: {SCALAR_TEXT}", "return x")(True) is True
    assert script("x: int", "return x")(True) == 1
    with pytest.raises(RuntimeError, match="found type 'bool'"):
        script(f"x: {U_IF}", "return x")(True)


@pytest.mark.parametrize("body", ["return t * x", "return x + 1", "return 1 if x else 2", "return x > 0"])
def test_a_union_of_int_and_bool_can_do_nothing_that_int_cannot(script, body):
    script("t: Tensor, x: int", body)
    with pytest.raises(RuntimeError):
        script(f"t: Tensor, x: {U_IB}", body)


def test_only_bool_passes_for_a_flag(script):
    assert script("t: Tensor, x: bool", "return t.sort(descending=x)[0]")(torch.tensor([1, 2]), 1).tolist() == [2, 1]
    with pytest.raises(RuntimeError):
        script("t: Tensor, x: int", "return t.sort(descending=x)[0]")


@pytest.mark.parametrize("body", ["return sum(x)", "return max(x)"])
def test_elements_of_a_union_cannot_be_reduced(script, body):
    script("x: List[float]", body)
    for union_text in (U_IF, SCALAR_TEXT):
        with pytest.raises(RuntimeError):
            script(f"x: List[{union_text}]", body)


def test_a_local_takes_the_result_of_arithmetic_only_as_scalar(script):
    body = "s: {} = 0\n    for i in range(2):\n        s = s + 0.5\n    return s"
    assert script("x: int", body.format(SCALAR_TEXT))(1) == 1.0
    for text in (U_IF, "float"):
        with pytest.raises(RuntimeError):
            script("x: int", body.format(text))


def test_scalar_is_spelled_in_the_compilers_order():
    assert SCALAR.spell(short_name) == SCALAR_TEXT
