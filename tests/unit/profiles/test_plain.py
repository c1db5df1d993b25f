"""Types and classes as text and back."""

from __future__ import annotations

import pytest

from pdt_annotate.profiles.plain import dump_class, dump_type, load_class, load_type
from pdt_annotate.values.slots import ClassInfo, ClassKind
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr

PARAMETER = TypeExpr("torch.nn.parameter.Parameter", (), ("torch.Tensor", "torch._C.TensorBase"))
TYPES = (
    NONE,
    TypeExpr("list"),
    TypeExpr("tuple"),
    TypeExpr("dict", (TypeExpr("str"), TypeExpr("Union", (TENSOR, NONE)))),
    TypeExpr("list", (PARAMETER,)),
    TypeExpr("naïve.Klasse"),
)
BOX = ClassInfo(
    name="shapes.Box",
    module="shapes",
    qualname="Box",
    kind=ClassKind.NAMEDTUPLE,
    file="src/shapes.py",
    line=7,
    fields=(("low", TENSOR), ("high", None)),
    bases=("tuple",),
    scripted=True,
)


@pytest.mark.parametrize("type_", TYPES, ids=str)
def test_a_type_comes_back_with_its_bases(type_: TypeExpr) -> None:
    back = load_type(dump_type(type_))
    assert back == type_
    assert [arg.bases for arg in (back, *back.args)] == [arg.bases for arg in (type_, *type_.args)]


def test_equal_types_are_one_text_and_the_text_is_short() -> None:
    assert dump_type(TypeExpr("list", (TypeExpr("int"),))) == '{"args":[{"name":"int"}],"name":"list"}'


@pytest.mark.parametrize("info", [BOX, ClassInfo("a.B", "a", "B", ClassKind.PLAIN)])
def test_a_class_comes_back(info: ClassInfo) -> None:
    assert load_class(dump_class(info)) == info


@pytest.mark.parametrize("name", ["os; import evil", "a.b.<locals>.C", "Box[int]", "x"])
def test_what_no_import_can_name_is_not_importable(name: str) -> None:
    module, _, qualname = name.rpartition(".")
    assert not load_class(dump_class(ClassInfo(name, module, qualname, ClassKind.PLAIN))).importable


NO_TYPES = ["", "[]", "1", '{"args":[]}', '{"name":1}', '{"name":"a","args":1}', '{"name":"a","bases":[1]}']


@pytest.mark.parametrize("text", [*NO_TYPES, pytest.param('{"args":[' * 100_000, id="nested too deeply")])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        load_type(text)


@pytest.mark.parametrize(
    "text", ["{}", '{"kind":"none"}', '{"kind":"plain","line":"1"}', '{"kind":"plain","fields":[[]]}']
)
def test_other_classes_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        load_class(text)


@pytest.mark.parametrize("name", ["Union", "Optional"])
def test_a_union_of_nothing_is_no_type(name: str) -> None:
    with pytest.raises(ValueError, match="of nothing"):
        load_type(f'{{"name": "{name}"}}')
