"""Looking at objects that answer with exceptions, or with nonsense, when Python asks them."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from pdt_annotate.values.live import file_of, function_of, is_a, module_of_class, own_annotations, qualname_of, state_of

Make = Callable[[], Any]
"""pytest asks parameters what they are; so it gets what makes them."""


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


class TestFiles:
    def test_of_modules_as_they_say_themselves(self) -> None:
        assert file_of("functools") == functools.__file__
        assert file_of(__name__) == __file__

    @pytest.mark.parametrize("name", ["sys", "no.such.module", ""])
    def test_of_what_has_none(self, name: str) -> None:
        assert file_of(name) == ""

    @pytest.mark.parametrize("make", [lambda: None, int, Proxy, lambda: Lazy("lazy")])
    def test_of_what_would_raise(self, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "odd", make())
        assert file_of("odd") == ""

    def test_of_a_lazy_module_that_has_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lazy = Lazy("lazy")
        ModuleType.__setattr__(lazy, "__file__", "/lib/lazy.py")
        monkeypatch.setitem(sys.modules, "lazy", lazy)
        assert file_of("lazy") == "/lib/lazy.py"


class TestNames:
    def test_as_classes_and_functions_say_them(self) -> None:
        for each in (Box, plain, Box.method, Box().method, len):
            assert qualname_of(each) == each.__qualname__
        assert (module_of_class(Box), module_of_class(int)) == (__name__, "builtins")

    def test_of_other_objects_that_of_their_class(self) -> None:
        assert (qualname_of(Box()), qualname_of(Proxy())) == ("Box", "Proxy")

    def test_of_classes_that_say_otherwise(self) -> None:
        odd = OddMeta("Odd", (), {})  # no name of this module, since pytest would ask it
        assert (qualname_of(odd), module_of_class(odd)) == ("Odd", __name__)
        assert (qualname_of(Nameless), module_of_class(Nameless)) == ("Nameless", "")
        names: dict[str, Any] = {}
        exec("Nowhere = type('Nowhere', (), {})", names)
        assert module_of_class(names["Nowhere"]) == ""


def test_the_class_of_an_object_is_what_it_was_made_of() -> None:
    assert is_a(True, int) and is_a(Box(), str, Box) and not is_a("", int)
    assert is_a(Proxy(), Proxy) and not is_a(Proxy(), int)


class TestFunctions:
    @pytest.mark.parametrize("make", [lambda: None, int, lambda: len, Box, Proxy, lambda: Lazy("lazy")])
    def test_there_is_none(self, make: Make) -> None:
        assert function_of(make()) is None

    def test_what_wraps_itself(self) -> None:
        box: Any = Box()
        box.__wrapped__ = box
        assert function_of(box) is None

    def test_in_methods_and_wrappers(self) -> None:
        wrapper = functools.wraps(plain)(lambda x: x)
        assert function_of(plain) is function_of(wrapper) is function_of(functools.cache(wrapper)) is plain
        for name in vars(Box):
            found = function_of(vars(Box)[name])
            assert name.startswith("__") or (found is not None and found.__name__ == name)
        assert function_of(Box().method) is Box.method


class Plain:
    pass


class Annotated:
    size: int
    later: Missing  # type: ignore[name-defined]  # noqa: F821


class Inherits(Annotated):
    pass


@pytest.mark.parametrize("cls", [Plain, Inherits, int])
def test_a_class_that_annotates_nothing(cls: type) -> None:
    assert own_annotations(cls) == {}


def test_the_annotations_of_a_class_are_told_apart_from_it() -> None:
    found = own_annotations(Annotated)
    assert list(found) == ["size", "later"]
    found.clear()
    assert list(own_annotations(Annotated)) == ["size", "later"]
