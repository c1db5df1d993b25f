"""What functions make: nothing else is taken for it, and the newest is found."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

import pytest

from pdt_annotate.values import made
from pdt_annotate.values.runs import Call


class Top:
    def method(self) -> None: ...


def make_class() -> Any:
    class Inner:
        class Deeper:
            pass

        def method(self) -> None: ...

    return Inner


def make_functions() -> tuple[FunctionType, FunctionType]:
    def helper(n: int) -> int:
        return n

    def outer(n: int) -> int:
        return helper(n)

    return outer, helper  # type: ignore[return-value]


@pytest.fixture
def reach() -> Iterator[Callable[..., None]]:
    ends: list[Callable[[], None]] = []
    yield lambda *values: ends.append(made.reach_from(*values))
    for end in reversed(ends):
        end()


@pytest.mark.parametrize("qualname", ["Top", "make_class", "make_class.<locals>.Other", "Inner"])
def test_what_no_function_made_is_not_found(qualname: str) -> None:
    kept = make_class()
    assert made.made_classes(__file__, qualname) == []
    assert made.made_class(f"{__name__}.{qualname}") is None
    del kept


def test_a_class_of_the_same_name_from_another_file_is_another() -> None:
    kept = make_class()
    assert made.made_classes(f"{__file__}.other", kept.__qualname__) == []


def test_classes_are_found_though_nothing_reaches_them() -> None:
    gc.collect()
    first, second = make_class(), make_class()
    found = made.made_classes(__file__, "make_class.<locals>.Inner")
    assert found[-2:] == [first, second]
    assert made.made_class(f"{__name__}.make_class.<locals>.Inner") is second
    assert second.Deeper in made.made_classes(__file__, "make_class.<locals>.Inner.Deeper")


@pytest.mark.parametrize(
    "hold",
    [
        lambda cls: cls,
        lambda cls: cls(),
        lambda cls: [{"a": (cls(),)}],
        lambda cls: Call((), {"a": cls()}),
        lambda cls: cls().method,
        lambda cls: lambda: cls,
    ],
)
def test_those_that_are_reached_go_before_newer_ones(hold: Callable[[Any], Any], reach: Callable[..., None]) -> None:
    first, newer = make_class(), make_class()
    reach(hold(first))
    assert made.made_classes(__file__, "make_class.<locals>.Inner") == [first]
    assert newer is not first


def test_functions_are_found_where_they_are_reached_alone(reach: Callable[..., None]) -> None:
    outer, helper = make_functions()
    qualname = "make_functions.<locals>.helper"
    assert made.made_functions(__file__, qualname) == []
    reach(outer)
    assert made.made_functions(__file__, qualname) == [helper]
    assert made.made_functions(f"{__file__}.other", qualname) == []


def test_what_is_reached_is_forgotten_again() -> None:
    outer, helper = make_functions()
    end = made.reach_from(outer)
    assert made.made_functions(__file__, helper.__qualname__) == [helper]
    end()
    assert made.made_functions(__file__, helper.__qualname__) == []


def test_a_name_without_a_value_is_passed_over(reach: Callable[..., None]) -> None:
    def asks() -> Any:
        return later

    reach(asks)
    assert made.made_functions(__file__, asks.__qualname__) == [asks]
    later = 1


def test_import_statements_find_a_class() -> None:
    cls = make_class()
    name = made.import_name(f"{__name__}.{cls.__qualname__}")
    scope: dict[str, Any] = {}
    exec(f"from pdt_annotate.values.made import {name} as Inner", scope)
    assert scope["Inner"] is cls
    with pytest.raises(ImportError):
        exec("from pdt_annotate.values.made import no_locals_such", scope)
    with pytest.raises(ImportError):
        exec("from pdt_annotate.values.made import Top", scope)


def test_classes_whose_metaclass_has_no_hash() -> None:
    class Equal(type):
        def __eq__(cls, other: object) -> bool:
            raise NotImplementedError

    odd = Equal("Odd", (Top,), {})
    assert any(each is odd for each in made.all_classes())
