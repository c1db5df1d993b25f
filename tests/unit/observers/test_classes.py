"""Live classes → ClassInfo, and legal types → live annotations."""

from __future__ import annotations

import collections
import dataclasses
import enum
import typing
from typing import Any, NamedTuple, Optional

import pytest
import torch
from torch import Tensor, nn

from pdt_annotate.observers.classes import describe_classes, find_functions, live_annotation, look_up, read_hint
from pdt_annotate.values.slots import ClassInfo, ClassKind, Owner
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr

INT, STR = TypeExpr("int"), TypeExpr("str")


class Colour(enum.Enum):
    RED = 1
    BLUE = "b"

    @property
    def value(self) -> Any:
        raise AssertionError("the user's code was called")


class Point(NamedTuple):
    x: int
    y: Optional[Tensor]  # noqa: UP045


class Line(NamedTuple):
    start: Point
    ends: "list[Point]"  # noqa: UP037


Pair = collections.namedtuple("Pair", "a b")


class Unevaluable(NamedTuple):
    x: "NoSuchName"  # type: ignore[name-defined]  # noqa: F821, UP037


@dataclasses.dataclass
class Box:
    side: int
    tags: dict[str, int]
    hook: typing.Callable[[], int]


class Plain:
    class Inner:
        pass


class Net(nn.Module):
    pass


@torch.jit.script
class Scripted:
    def __init__(self, n: int) -> None:
        self.n = n


def describe(cls: type) -> ClassInfo:
    name = f"{cls.__module__}.{cls.__qualname__}"
    return next(info for info in describe_classes([name]) if info.name == name)


@pytest.mark.parametrize(
    ("cls", "kind", "fields"),
    [
        (Colour, ClassKind.ENUM, (("RED", INT), ("BLUE", STR))),
        (Point, ClassKind.NAMEDTUPLE, (("x", INT), ("y", TypeExpr("Union", (TENSOR, NONE))))),
        (Pair, ClassKind.NAMEDTUPLE, (("a", None), ("b", None))),
        (Unevaluable, ClassKind.NAMEDTUPLE, (("x", None),)),
        (Box, ClassKind.DATACLASS, (("side", INT), ("tags", TypeExpr("dict", (STR, INT))), ("hook", None))),
        (Net, ClassKind.MODULE, ()),
        (Plain, ClassKind.PLAIN, ()),
    ],
)
def test_kind_and_fields(cls: type, kind: ClassKind, fields: object) -> None:
    info = describe(cls)
    assert (info.kind, info.fields) == (kind, fields)
    assert (info.module, info.qualname, info.file) == (__name__, cls.__qualname__, __file__)


def test_which_classes_are_described_and_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    assert describe_classes(["int", "list", "None", "Any", "Union", "no.such.Class", "json.dumps", "Callable"]) == ()
    assert {"Line", "Point"} <= {info.qualname for info in describe_classes([f"{__name__}.Line"])}
    assert (describe(Scripted).scripted, describe(Plain).scripted) == (True, False)
    assert describe(Net).bases == ("torch.nn.modules.module.Module",)

    class Local:
        pass

    original = Plain
    assert describe(Plain.Inner).importable and not describe(Local).importable
    monkeypatch.setitem(globals(), "Plain", 3)
    assert not describe(original).importable


def test_look_up_runs_no_descriptor() -> None:
    class Lazy:
        @property
        def value(self) -> int:
            raise AssertionError("the user's code was called")

    assert isinstance(look_up(Lazy, "value"), property)
    assert look_up(Lazy, "no.such") is None
    assert look_up(None, "x") is None


@torch.jit._overload
def sized(x, n): ...


def sized(x, n):  # noqa: F811
    return x


class Sized(nn.Module):
    @torch.jit._overload_method
    def forward(self, x): ...

    def forward(self, x):  # noqa: F811
        return x


def owner_of(function: Any) -> Owner:
    code = function.__code__
    return Owner(code.co_filename, code.co_qualname, code.co_firstlineno)


def test_of_functions_with_one_name_the_one_at_the_line() -> None:
    (stub,) = torch._jit_internal._overloaded_fns[torch._jit_internal._qualified_name(sized)]
    (method,) = torch._jit_internal._get_overloaded_methods(Sized.forward, Sized)
    for function in (sized, stub, Sized.forward, method):
        assert find_functions(owner_of(function)) == [function]
    assert find_functions(Owner(__file__, "no.such", 1)) == []


INTS = TypeExpr("list", (INT,))
LIVE = [
    (INT, int),
    (NONE, type(None)),
    (ANY, Any),
    (TENSOR, Tensor),
    (INTS, list[int]),
    (TypeExpr("dict", (STR, TypeExpr("list", (TENSOR,)))), dict[str, list[Tensor]]),
    (TypeExpr("tuple", (INT, STR)), tuple[int, str]),
    (TypeExpr("Optional", (INT,)), Optional[int]),  # noqa: UP045
    (TypeExpr("Union", (INT, STR)), typing.Union[int, str]),  # noqa: UP007
    (TypeExpr("torch.device"), torch.device),
    (TypeExpr(f"{__name__}.Point"), Point),
]


@pytest.mark.parametrize(("type_", "live"), LIVE, ids=[str(type_) for type_, _ in LIVE])
def test_live_annotations(type_: TypeExpr, live: Any) -> None:
    assert live_annotation(type_) == live
    assert live_annotation(TypeExpr("Final", (type_,))) == typing.Final[live]


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        *((live, type_) for type_, live in LIVE[:5]),
        (typing.List[int], INTS),  # noqa: UP006
        (int | None, TypeExpr("Union", (INT, NONE))),
        (Optional[int], TypeExpr("Union", (INT, NONE))),  # noqa: UP045
        (tuple[()], TypeExpr("tuple")),
        (tuple[int, str], TypeExpr("tuple", (INT, STR))),
        *((hint, None) for hint in (tuple[int, ...], typing.Callable[[], int], typing.Literal["a"], "int")),
        (typing.TypeVar("T"), None),
    ],
)
def test_hints(hint: Any, expected: TypeExpr | None) -> None:
    result = read_hint(hint)
    assert (result and result.name, result and result.args) == (expected and expected.name, expected and expected.args)
