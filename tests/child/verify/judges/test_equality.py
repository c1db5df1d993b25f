"""Values, some of them from the real compiler: equal, similar and different values."""

import collections
import enum
import warnings
from typing import NamedTuple

import pytest
import torch

from pdt_annotate.verify.judges.clones import clone
from pdt_annotate.verify.judges.equality import CLASS, SEEN, Difference, compare

NAN = float("nan")
X = torch.tensor([1.0, 2.0])


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Point(NamedTuple):
    x: int
    y: torch.Tensor


@torch.jit.script
def make_point(n: int, y: torch.Tensor) -> Point:
    return Point(n, y)


@torch.jit.script
def maximum(x: torch.Tensor):
    return torch.max(x, 1)


@torch.jit.script
def identity_of_dtype(d: torch.dtype) -> torch.dtype:
    return d


@torch.jit.script
def pass_containers(a: list[int], b: dict[str, torch.Tensor], c: tuple[int, str]):
    return a, b, c


@torch.jit.script
class Counter:
    def __init__(self, n: int) -> None:
        self.n = n


@torch.jit.script
def count(n: int) -> Counter:
    return Counter(n)


class PlainPoint:
    def __init__(self, n: int) -> None:
        self.n = n


PlainPoint.__name__ = "Counter"

SAME = [
    (1, 1),
    (1.0, 1.0 + 1e-9),
    (NAN, NAN),
    (float("inf"), float("inf")),
    (1j, 1j + 1e-9),
    (Colour.RED, Colour.RED),
    (torch.device("cpu"), torch.device("cpu")),
    (X, X.clone()),
    (X, X + 1e-6),
    (torch.tensor([NAN]), torch.tensor([NAN])),
    (X.bfloat16(), X.bfloat16() * (1 + 8e-3)),
    (torch.tensor([1 + 1j]), torch.tensor([1 + 1j])),
    (X.to_sparse(), X.to_sparse()),
    ({"a": [1], "b": {}}, {"a": [1], "b": {}}),
    (Point(1, X), make_point(1, X)),
    (([1], {"a": X}, (1, "a")), pass_containers([1], {"a": X}, (1, "a"))),
    ({X: 1}, {X.clone(): 1}),
    (PlainPoint(1), count(1)),
]


@pytest.mark.parametrize(("eager", "scripted"), SAME)
def test_same(eager: object, scripted: object) -> None:
    assert compare(eager, scripted) == ()


ALIKE = [
    ((1, 2), [1, 2]),
    (X.shape, [2]),
    (collections.OrderedDict(a=1), {"a": 1}),
    ({"a": (1,)}, {"a": [1]}),
    (Point(1, X), (1, X)),
    (torch.max(torch.ones(2, 2), 1), maximum(torch.ones(2, 2))),
    (torch.float32, identity_of_dtype(torch.float32)),
    (torch.strided, 0),
]


@pytest.mark.parametrize(("eager", "scripted"), ALIKE)
def test_alike_but_for_a_class(eager: object, scripted: object) -> None:
    assert {remark.code for remark in compare(eager, scripted)} == {CLASS}


def test_another_class_of_number_is_told() -> None:
    numpy = pytest.importorskip("numpy", reason="there is no numpy, which the extra `dev` installs")
    for eager, scripted, message in (
        (numpy.float64(2.5), 2.5, "the result is a float when scripted, a numpy.float64 in eager mode"),
        (numpy.int64(2), 2, "the result is an int when scripted, a numpy.int64 in eager mode"),
        ([numpy.float32(0.5)], [0.5], "the result[0] is a float when scripted, a numpy.float32 in eager mode"),
    ):
        (remark,) = compare(eager, scripted)
        assert (remark.code, remark.message) == (CLASS, message)
    assert compare(numpy.float64(2.5), numpy.float64(2.5)) == ()
    with pytest.raises(Difference, match="the result is 2 when scripted, 3 in eager mode"):
        compare(numpy.int64(3), 2)


def test_a_subclass_of_tensor_is_told() -> None:
    class Own(torch.Tensor):
        pass

    (remark,) = compare(X.as_subclass(Own), X)
    assert (remark.code, remark.message) == (CLASS, "the result is a Tensor when scripted, an Own in eager mode")


@pytest.mark.parametrize("scripted", [True, False])
def test_that_a_result_requires_a_gradient_is_told(scripted: bool) -> None:
    (remark,) = compare(X.clone().requires_grad_(not scripted), X.clone().requires_grad_(scripted))
    assert remark.code == SEEN and "a gradient when scripted" in remark.message


def nested(*sizes: int, layout: torch.layout) -> torch.Tensor:
    with warnings.catch_warnings(action="ignore"):
        return torch.nested.nested_tensor([torch.ones(size, 3) for size in sizes], layout=layout)


@pytest.mark.parametrize("layout", [torch.strided, torch.jagged])
def test_nested_tensors(layout: torch.layout) -> None:
    assert compare(nested(2, 1, layout=layout), nested(2, 1, layout=layout)) == ()
    assert clone(nested(2, 1, layout=layout)).is_nested
    with pytest.raises(Difference, match="has shape"):
        compare(nested(2, 1, layout=layout), nested(2, 2, layout=layout))
    with pytest.raises(Difference, match=r"the result\[0\] differs"):
        compare(nested(2, 1, layout=layout), nested(2, 1, layout=layout) * 2)
    with pytest.raises(Difference, match="is_nested"):
        compare(nested(2, 2, layout=layout), torch.ones(2, 2, 3))


DIFFERENT = [
    (1, True),
    (1, 1.0),
    (1.0, 1.001),
    (NAN, 1.0),
    (1j, 2j),
    (None, 0),
    (1, torch.tensor(1)),
    (Colour.RED, Colour.BLUE),
    (X, X + 0.01),
    (X, X.to_sparse()),
    (torch.tensor([1]), torch.tensor([1], dtype=torch.int32)),
    (torch.tensor([1_000_000]), torch.tensor([1_000_001])),
    (torch.tensor([True]), torch.tensor([False])),
    (torch.tensor([NAN]), torch.tensor([1.0])),
    ([1], [1, 2]),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": 1}, {"a": 2}),
    ([], {}),
    ({X: 1}, {X + 1: 1}),
    (Point(1, X), make_point(2, X)),
    (PlainPoint(1), count(2)),
    (PlainPoint(1), 1),
]


@pytest.mark.parametrize(("eager", "scripted"), DIFFERENT)
def test_different(eager: object, scripted: object) -> None:
    with pytest.raises(Difference):
        compare(eager, scripted)


@pytest.mark.parametrize(
    ("eager", "scripted", "message"),
    [
        ([1, {"k": (2, 3)}], [1, {"k": (2, 4)}], "the result[1]['k'][1] is 4 when scripted, 3 in eager mode"),
        (X, X[None], "the result has shape (1, 2) when scripted, (2,) in eager mode"),
        (X, X.double(), "the result has dtype torch.float64 when scripted, torch.float32 in eager mode"),
        (1, True, "the result is of type bool (True) when scripted, int in eager mode"),
        ([1], [], "the result has 0 items when scripted, 1 in eager mode"),
        ({"a": 1}, {"b": 1}, "the keys of the result[0] is 'b' when scripted, 'a' in eager mode"),
    ],
)
def test_messages_name_the_place(eager: object, scripted: object, message: str) -> None:
    with pytest.raises(Difference) as raised:
        compare(eager, scripted)
    assert str(raised.value) == message


def test_a_long_value_is_cut() -> None:
    with pytest.raises(Difference) as raised:
        compare("a" * 10_000, "b" * 10_000)
    assert len(str(raised.value)) < 300


class TestTensorsWithoutValues:
    def test_are_the_same_by_shape_and_dtype(self) -> None:
        assert compare(torch.ones(2, device="meta"), torch.zeros(2, device="meta")) == ()

    @pytest.mark.parametrize("other", [torch.ones(3, device="meta"), torch.ones(2)])
    def test_differ(self, other: torch.Tensor) -> None:
        with pytest.raises(Difference, match=r"shape|device"):
            compare(torch.ones(2, device="meta"), other)
