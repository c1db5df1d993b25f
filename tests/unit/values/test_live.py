"""Objects of a running program: objects that raise or return nonsense, and objects that functions make."""

from __future__ import annotations

import functools
import gc
import sys
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import pytest

from pdt_annotate.values import made
from pdt_annotate.values.live import file_of, function_of, is_a, module_of_class, own_annotations, qualname_of, state_of
from pdt_annotate.values.runs import Call

Make = Callable[[], Any]
"""pytest inspects parameters, so the parameters are functions that make the objects."""


def refuse(*args: Any) -> Any:
    raise ImportError("the user's code was called")


class Lazy(ModuleType):
    __getattr__ = __getattribute__ = refuse


class Proxy:
    __class__ = property(refuse)
    __dict__ = property(refuse)
    __getattr__ = refuse


class OddMeta(type):
    __module__ = property(refuse)
    __getattr__ = __getattribute__ = refuse


class Nameless:
    __module__ = property(refuse)


class Slotted:
    __slots__ = ("a",)


def plain(x: int) -> int:
    return x


class Box:
    def method(self) -> None: ...

    @staticmethod
    def static() -> None: ...

    @classmethod
    def of_class(cls) -> None: ...

    @functools.cache  # noqa: B019
    def cached(self) -> None: ...


def test_the_state_of_an_object_is_its_own() -> None:
    box = Box()
    assert state_of(box) is vars(box)
    assert state_of(sys) is vars(sys)
    assert dict(state_of(Box)) == dict(vars(Box))


@pytest.mark.parametrize("make", [lambda: None, int, Slotted, Proxy])
def test_what_has_no_state_to_show(make: Make) -> None:
    assert state_of(make()) == {}


def test_modules_say_their_files_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    lazy = Lazy("lazy")
    ModuleType.__setattr__(lazy, "__file__", "/lib/lazy.py")
    monkeypatch.setitem(sys.modules, "lazy", lazy)
    files = {
        "functools": functools.__file__,
        __name__: __file__,
        "lazy": "/lib/lazy.py",
        "sys": "",
        "no.such": "",
        "": "",
    }
    assert {name: file_of(name) for name in files} == files


@pytest.mark.parametrize("make", [lambda: None, int, Proxy, lambda: Lazy("lazy")])
def test_what_would_raise_has_no_file(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "odd", make())
    assert file_of("odd") == ""


def test_names_and_classes_are_those_that_objects_were_made_of() -> None:
    for each in (Box, plain, Box.method, Box().method, len):
        assert qualname_of(each) == each.__qualname__
    assert (qualname_of(Box()), qualname_of(Proxy())) == ("Box", "Proxy")
    assert (module_of_class(Box), module_of_class(int)) == (__name__, "builtins")
    odd = OddMeta("Odd", (), {})  # not a global of this module, because pytest would inspect it
    assert (qualname_of(odd), module_of_class(odd)) == ("Odd", __name__)
    assert (qualname_of(Nameless), module_of_class(Nameless)) == ("Nameless", "")
    names: dict[str, Any] = {}
    exec("Nowhere = type('Nowhere', (), {})", names)
    assert module_of_class(names["Nowhere"]) == ""
    assert is_a(True, int) and is_a(Box(), str, Box) and not is_a("", int)
    assert is_a(Proxy(), Proxy) and not is_a(Proxy(), int)


def wrapped_by_itself() -> Any:
    box: Any = Box()
    box.__wrapped__ = box
    return box


@pytest.mark.parametrize("make", [lambda: None, int, lambda: len, Box, Proxy, lambda: Lazy("lazy"), wrapped_by_itself])
def test_what_holds_no_function(make: Make) -> None:
    assert function_of(make()) is None


def test_functions_in_methods_and_wrappers() -> None:
    wrapper = functools.wraps(plain)(lambda x: x)
    assert function_of(plain) is function_of(wrapper) is function_of(functools.cache(wrapper)) is plain
    for name in vars(Box):
        found = function_of(vars(Box)[name])
        assert name.startswith("__") or (found is not None and found.__name__ == name)
    assert function_of(Box().method) is Box.method


class Annotated:
    size: int
    later: Missing  # type: ignore[name-defined]  # noqa: F821


class Inherits(Annotated):
    pass


def test_the_annotations_of_a_class_are_its_own_and_a_copy() -> None:
    assert own_annotations(Box) == own_annotations(Inherits) == own_annotations(int) == {}
    found = own_annotations(Annotated)
    assert list(found) == ["size", "later"]
    found.clear()
    assert list(own_annotations(Annotated)) == ["size", "later"]


def make_class() -> Any:
    class Inner:
        class Deeper:
            pass

        def method(self) -> None: ...

    return Inner


INNER = "make_class.<locals>.Inner"


def make_functions() -> tuple[FunctionType, FunctionType]:
    def helper(n: int) -> int:
        return n

    def outer(n: int) -> int:
        return helper(n)

    return outer, helper  # type: ignore[return-value]


def test_classes_are_found_though_nothing_reaches_them_and_what_was_not_made_here_is_not() -> None:
    kept = make_class()
    for qualname in ("Box", "make_class", "make_class.<locals>.Other", "Inner"):
        assert made.made_classes(__file__, qualname) == []
        assert made.made_class(f"{__name__}.{qualname}") is None
    assert made.made_classes(f"{__file__}.other", kept.__qualname__) == []
    gc.collect()
    first, second = make_class(), make_class()
    assert made.made_classes(__file__, INNER)[-2:] == [first, second]
    assert made.made_class(f"{__name__}.{INNER}") is second
    assert second.Deeper in made.made_classes(__file__, f"{INNER}.Deeper")


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
def test_a_class_that_is_reached_precedes_newer_ones(
    hold: Callable[[Any], Any], request: pytest.FixtureRequest
) -> None:
    first, newer = make_class(), make_class()
    request.addfinalizer(made.reach_from(hold(first)))
    assert made.made_classes(__file__, INNER) == [first]
    assert newer is not first


def test_functions_are_found_while_they_are_reached() -> None:
    outer, helper = make_functions()
    assert made.reached(FunctionType, __file__, helper.__qualname__) == []
    end = made.reach_from(outer)
    assert made.reached(FunctionType, __file__, helper.__qualname__) == [helper]
    assert made.reached(FunctionType, f"{__file__}.other", helper.__qualname__) == []
    end()
    assert made.reached(FunctionType, __file__, helper.__qualname__) == []


def test_a_name_without_a_value_is_passed_over(request: pytest.FixtureRequest) -> None:
    def asks() -> Any:
        return later

    request.addfinalizer(made.reach_from(asks))
    assert made.reached(FunctionType, __file__, asks.__qualname__) == [asks]
    later = 1


def test_import_statements_find_a_class() -> None:
    cls = make_class()
    name = made.import_name(f"{__name__}.{cls.__qualname__}")
    scope: dict[str, Any] = {}
    exec(f"from pdt_annotate.values.made import {name} as Inner", scope)
    assert scope["Inner"] is cls
    for name in ("no_locals_such", "Box"):
        with pytest.raises(ImportError):
            exec(f"from pdt_annotate.values.made import {name}", scope)


def test_classes_whose_metaclass_has_no_hash() -> None:
    class Equal(type):
        def __eq__(cls, other: object) -> bool:
            raise NotImplementedError

    odd = Equal("Odd", (Box,), {})
    assert any(each is odd for each in made.all_classes())
