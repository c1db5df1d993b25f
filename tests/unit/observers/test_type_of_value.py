"""Live values → TypeExpr: first the values that are not inspected, then each kind of value."""

import collections
import copy
import dataclasses
import enum
import functools
import gc
import math
import typing
import weakref
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.utils.rnn import pack_sequence

from pdt_annotate.observers import type_of_value as observed_types
from pdt_annotate.observers.type_of_value import BOUND, class_name, holds_empty, is_leaf, type_of
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr, union

INT, FLOAT, STR = (TypeExpr(name) for name in ("int", "float", "str"))
EMPTY_LIST = TypeExpr("list")


def list_of(*items: TypeExpr) -> TypeExpr:
    return TypeExpr("list", items)


def tuple_of(*items: TypeExpr) -> TypeExpr:
    return TypeExpr("tuple", items)


class Colour(enum.Enum):
    RED = 1


class Point(typing.NamedTuple):
    x: int
    y: float


Pair = collections.namedtuple("Pair", "a b")


@dataclasses.dataclass
class Box:
    side: int


def refuse(*args: Any, **kwargs: Any) -> Any:
    raise AssertionError("the user's code was called")


class Hostile:
    __class__ = property(refuse)
    __eq__ = __hash__ = __len__ = __iter__ = __bool__ = __repr__ = __getattr__ = __getattribute__ = refuse


class HostileList(list[Any]):
    __class__ = property(refuse)
    __eq__ = __hash__ = __len__ = __iter__ = __bool__ = __getitem__ = __getattribute__ = refuse  # type: ignore[assignment]


class HostileDict(dict[Any, Any]):
    __eq__ = __hash__ = __len__ = __iter__ = __bool__ = __getitem__ = __getattribute__ = refuse  # type: ignore[assignment]
    keys = values = items = refuse


class HostileTuple(tuple[Any, ...]):
    __eq__ = __hash__ = __len__ = __iter__ = __getitem__ = __getattribute__ = refuse


class TestLeavesAlone:
    @pytest.mark.parametrize("wrap", [lambda v: v, lambda v: [v], lambda v: (v, 1), lambda v: {"k": [v]}])
    def test_hostile_objects_are_not_called(self, wrap: Any) -> None:
        assert f"{__name__}.Hostile" in type_of(wrap(Hostile())).spell(lambda name: name)
        assert type_of(HostileList([1, 2])).args == (INT,)
        assert type_of(HostileTuple((1, "a"))).args == (INT, STR)
        assert type_of(HostileDict(a=1)) == TypeExpr("dict", (STR, INT))

    def test_a_metaclass_does_not_rule_the_mro(self) -> None:
        class Meta(type):
            __instancecheck__ = __subclasscheck__ = refuse

        class Odd(metaclass=Meta):
            pass

        assert type_of([Odd()]).args[0].name == class_name(Odd)

    def test_nothing_is_kept_alive_changed_or_advanced(self) -> None:
        box = Box(1)
        gone = weakref.ref(box)
        type_of([box, (box, {"b": box})])
        del box
        gc.collect()
        assert gone() is None
        value = {"a": [1, (2, None)], "b": collections.deque([1.5], maxlen=2)}
        before = copy.deepcopy(value)
        numbers, generator = iter([1, 2]), (n for n in (1, 2))
        type_of([value, numbers, generator])
        assert value == before
        assert (next(numbers), next(generator)) == (1, 1)


FUNCTIONS: list[object] = [len, refuse, lambda: 0, [].append, functools.partial(refuse)]
LEAVES = [
    *((value, type(value).__name__) for value in (True, 3, 2.5, 1j, "s", b"s", range(3), slice(1))),
    (None, "None"),
    (torch.ones(1), "torch.Tensor"),
    (torch.nn.Parameter(torch.ones(1)), "torch.nn.parameter.Parameter"),
    (torch.Size([1, 2]), "torch.Size"),
    (torch.device("cpu"), "torch.device"),
    (torch.float32, "torch.dtype"),
    (torch.strided, "torch.layout"),
    (torch.contiguous_format, "torch.memory_format"),
    (np.float64(1), "numpy.float64"),
    (np.int64(1), "numpy.int64"),
    (np.bool_(True), "numpy.bool"),
    (np.ones(2), "numpy.ndarray"),
    (Colour.RED, f"{__name__}.Colour"),
    (Box(1), f"{__name__}.Box"),
    *((cls, "type") for cls in (int, Box)),
    *((function, "Callable") for function in FUNCTIONS),
]


@pytest.mark.parametrize(("value", "name"), LEAVES, ids=[name for _, name in LEAVES])
def test_the_class_of_a_leaf(value: object, name: str) -> None:
    assert is_leaf(type(value))
    assert type_of(value).name == name
    assert type_of(value).args == ()


def test_bases_are_the_mro_without_the_class_and_object() -> None:
    class Sub(torch.Tensor):
        pass

    assert type_of(torch.ones(1).as_subclass(Sub)).bases[0] == "torch.Tensor"
    assert "float" in type_of(np.float64(1)).bases
    assert type_of(Colour.RED).inherits("enum.Enum")
    assert type_of(1).bases == ()


CONTAINERS = [
    ([1, 2], list_of(INT)),
    ([], EMPTY_LIST),
    ([[], [1]], list_of(union(EMPTY_LIST, list_of(INT)))),
    ([[]], list_of(EMPTY_LIST)),
    ([1, 2.5], list_of(union(INT, FLOAT))),
    ([None, 1], list_of(union(NONE, INT))),
    ((), tuple_of()),
    ((1, "a"), tuple_of(INT, STR)),
    (((1,), []), tuple_of(tuple_of(INT), EMPTY_LIST)),
    ({}, TypeExpr("dict")),
    ({"a": 1, "b": None}, TypeExpr("dict", (STR, union(INT, NONE)))),
    ({"a": {"b": [torch.ones(1)]}}, TypeExpr("dict", (STR, TypeExpr("dict", (STR, list_of(TENSOR)))))),
    ({1, 2}, TypeExpr("set", (INT,))),
    (frozenset({1}), TypeExpr("frozenset", (INT,))),
    (set(), TypeExpr("set")),
    (collections.deque([1]), TypeExpr("collections.deque", (INT,))),
    (collections.deque(), TypeExpr("collections.deque")),
    (collections.OrderedDict(a=1), TypeExpr("collections.OrderedDict", (STR, INT))),
    (collections.defaultdict(int, a=1), TypeExpr("collections.defaultdict", (STR, INT))),
    (collections.Counter("a"), TypeExpr("dict", (STR, INT))),
    (Point(1, 2.5), TypeExpr(f"{__name__}.Point", (INT, FLOAT))),
    (Pair(1, []), TypeExpr(f"{__name__}.Pair", (INT, EMPTY_LIST))),
    (torch.ones(2, 2).max(1), TypeExpr("torch.return_types.max", (TENSOR, TENSOR))),
    (pack_sequence([torch.ones(2)]), TypeExpr("torch.nn.utils.rnn.PackedSequence", (TENSOR, TENSOR, NONE, NONE))),
]


@pytest.mark.parametrize(("value", "expected"), CONTAINERS, ids=[str(expected) for _, expected in CONTAINERS])
def test_what_is_in_a_container(value: object, expected: TypeExpr) -> None:
    assert type_of(value) == expected


def test_futures() -> None:
    done, failed = torch.futures.Future[Any](), torch.futures.Future[Any]()
    forked = torch.jit.fork(lambda: torch.ones(1))
    done.set_result([1])
    failed.set_exception(ValueError("no"))
    torch.jit.wait(forked)
    found = [type_of(each) for each in (done, failed, torch.futures.Future(), forked)]
    assert {each.name for each in found} == {"torch.futures.Future"}
    assert [each.args for each in found] == [(list_of(INT),), (), (), (TENSOR,)]


class TestBounds:
    """Counts the elements that are inspected one by one, without those that `map(type, ...)` reads in C."""

    @pytest.fixture
    def looks(self, monkeypatch: pytest.MonkeyPatch) -> list[object]:
        seen: list[object] = []
        original = observed_types._Walk.type_of

        def spy(self: Any, value: Any, depth: int) -> TypeExpr:
            seen.append(type(value))
            return original(self, value, depth)

        monkeypatch.setattr(observed_types._Walk, "type_of", spy)
        return seen

    @pytest.mark.parametrize("value", [[1] * 300_000, dict.fromkeys(range(300_000), 1.5), [1] * 9_000 + [""], (1,)])
    def test_a_long_container_of_leaves_is_one_look(self, value: Any, looks: list[object]) -> None:
        type_of(value)
        assert len(looks) == 1

    def test_what_is_behind_the_bound_is_seen(self) -> None:
        assert type_of([1] * (10 * BOUND) + [None]) == list_of(union(INT, NONE))
        assert type_of([(1,)] * (10 * BOUND) + [None]) == list_of(union(tuple_of(INT), NONE))
        assert type_of([1] * (10 * BOUND) + [["a"]]) == list_of(union(INT, list_of(STR)))

    def test_long_lists_of_containers_share_one_budget(self, looks: list[object]) -> None:
        assert type_of([[1] for _ in range(20 * BOUND)]) == list_of(list_of(INT))
        assert len(looks) <= BOUND + 1
        looks.clear()
        value = [[[1] for _ in range(100)] for _ in range(500)]
        assert type_of(value).args[0] in (list_of(list_of(INT)), union(list_of(list_of(INT)), EMPTY_LIST))
        assert len(looks) <= 2 * observed_types.LOOKS
        tuples = [[(1, 2) for _ in range(100)] for _ in range(500)]
        assert tuple_of() not in _parts(type_of(tuples)), "past the budget no tuple is taken for an empty one"

    def test_a_list_that_holds_itself_and_a_deep_nest_end(self, looks: list[object]) -> None:
        loop: list[Any] = []
        loop += [loop] * 7
        assert type_of(loop).name == "list"
        assert len(looks) <= 2 * observed_types.LOOKS
        deep: Any = 1
        for _ in range(50):
            deep = [deep]
        assert ANY in _parts(type_of(deep))


def _parts(type_: TypeExpr) -> list[TypeExpr]:
    return [type_, *(part for arg in type_.args for part in _parts(arg))]


EMPTY = [[], {}, [[]], {"a": []}, ([],), [[1], []], collections.deque(), Pair(1, {}), set()]
FULL = [[1], (), (1, 2), {"a": 1}, 1, None, torch.Size([]), [[1], [2]], {"a": (1,)}]


@pytest.mark.parametrize(("value", "expected"), [(v, True) for v in EMPTY] + [(v, False) for v in FULL])
def test_something_empty_in(value: object, expected: bool) -> None:
    assert holds_empty(type_of(value)) is expected


def test_class_names() -> None:
    names: dict[type, str] = {int: "int", type(None): "None", math.__class__: "module", Box: f"{__name__}.Box"}
    assert {cls: class_name(cls) for cls in names} == names
