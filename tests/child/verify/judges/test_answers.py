"""Answers, by the real compiler where it makes the value: what is the same, what is alike, what differs."""

from __future__ import annotations

import collections
import dataclasses
import enum
import threading
from typing import Any, NamedTuple

import pytest
import torch

from pdt_annotate.verify.judges.answers import ANSWERS, HELD_BACK, RUNS, Difference, clone, compare, judge_call

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
    (True, True),
    (1.0, 1.0 + 1e-9),
    (NAN, NAN),
    (float("inf"), float("inf")),
    (1j, 1j + 1e-9),
    ("a", "a"),
    (None, None),
    (Colour.RED, Colour.RED),
    (torch.device("cpu"), torch.device("cpu")),
    (X, X.clone()),
    (X, X + 1e-6),
    (torch.tensor([NAN]), torch.tensor([NAN])),
    (torch.tensor([]), torch.tensor([])),
    (X.half(), X.half() * (1 + 5e-4)),
    (X.bfloat16(), X.bfloat16() * (1 + 8e-3)),
    (torch.tensor([1 + 1j]), torch.tensor([1 + 1j])),
    (X.clone().requires_grad_(), X),
    (X.to_sparse(), X.to_sparse()),
    ([1, [X]], [1, [X]]),
    ({"a": [1], "b": {}}, {"a": [1], "b": {}}),
    (((), (1,)), ((), (1,))),
    (Point(1, X), make_point(1, X)),
    (([1], {"a": X}, (1, "a")), pass_containers([1], {"a": X}, (1, "a"))),
    ({X: 1}, {X.clone(): 1}),
    (PlainPoint(1), count(1)),
]


@pytest.mark.parametrize(("eager", "scripted"), SAME)
def test_same(eager: object, scripted: object) -> None:
    assert compare(eager, scripted) is True


ALIKE = [
    ((1, 2), [1, 2]),
    ([X], (X,)),
    (X.shape, [2]),
    (collections.OrderedDict(a=1), {"a": 1}),
    ([[1], (2,)], [[1], [2]]),
    ({"a": (1,)}, {"a": [1]}),
    (Point(1, X), (1, X)),
    (torch.max(torch.ones(2, 2), 1), maximum(torch.ones(2, 2))),
    (torch.float32, identity_of_dtype(torch.float32)),
    (torch.strided, 0),
]


@pytest.mark.parametrize(("eager", "scripted"), ALIKE)
def test_alike_but_for_a_class(eager: object, scripted: object) -> None:
    assert compare(eager, scripted) is False


DIFFERENT = [
    (1, 2),
    (1, True),
    (True, 1),
    (1, 1.0),
    (1.0, 1),
    (1.0, 1.001),
    (NAN, 1.0),
    (1.0, NAN),
    (1j, 2j),
    ("a", "b"),
    (None, 0),
    (0, None),
    (X, 1.0),
    (1, torch.tensor(1)),
    (Colour.RED, Colour.BLUE),
    (Colour.RED, 1),
    (X, X + 0.01),
    (X, X.double()),
    (X, X[None]),
    (X, X.to_sparse()),
    (torch.tensor([1]), torch.tensor([1], dtype=torch.int32)),
    (torch.tensor([1_000_000]), torch.tensor([1_000_001])),
    (torch.tensor([True]), torch.tensor([False])),
    (torch.tensor([NAN]), torch.tensor([1.0])),
    ([1], [1, 2]),
    ((1, 2), (1, 3)),
    ([1, "a"], [1, 2]),
    ({"a": 1}, {"b": 1}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": 1}, {"a": 2}),
    ({"a": 1}, {}),
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


class TestJudge:
    @staticmethod
    def fail() -> Any:
        raise ValueError("eager")

    @staticmethod
    def fail_scripted() -> Any:
        function: Any = torch.jit.CompilationUnit("def f(x: Tensor):\n    return x.view(7)\n").f
        return function(X)

    def test_equal_answers_hold(self) -> None:
        verdict = judge_call("first", False, lambda: X, lambda: X)
        assert verdict.ok and verdict.judge == ANSWERS
        assert judge_call("first", True, lambda: X, lambda: X).judge == HELD_BACK

    def test_both_raise(self) -> None:
        assert judge_call("first", False, self.fail, self.fail_scripted).ok

    def test_only_eager_raises(self) -> None:
        verdict = judge_call("first", False, self.fail, lambda: X)
        assert not verdict.ok and verdict.failure is not None
        assert "the eager model raises ValueError" in verdict.failure.message
        assert verdict.failure.call == "first"

    def test_only_scripted_raises(self) -> None:
        verdict = judge_call("first", False, lambda: X, self.fail_scripted)
        assert not verdict.ok and verdict.judge == RUNS and verdict.failure is not None
        assert verdict.failure.message.endswith("RuntimeError: shape '[7]' is invalid for input of size 2")
        assert verdict.failure.call == "first"
        assert judge_call("first", True, lambda: X, self.fail_scripted).judge == HELD_BACK

    def test_different_answers(self) -> None:
        verdict = judge_call("first", True, lambda: 1, lambda: 2)
        assert not verdict.ok and verdict.judge == HELD_BACK and verdict.failure is not None
        assert not verdict.failure.code

    def test_alike_answers(self) -> None:
        verdict = judge_call("first", False, lambda: (1, 1), lambda: [1, 1])
        assert not verdict.ok and verdict.failure is not None and verdict.failure.code


@dataclasses.dataclass
class State:
    items: list[int]


class TestClone:
    def test_what_has_an_identity_is_shared(self) -> None:
        module, lock, sentinel = torch.nn.Linear(1, 1), threading.Lock(), object()
        shared = [module, lock, sentinel, State, len, self.test_what_has_an_identity_is_shared, Colour.RED, torch]
        assert all(old is new for old, new in zip(shared, clone(shared), strict=True))

    def test_classes_of_containers_stay(self) -> None:
        values = [
            Point(1, X),
            X.shape,
            collections.OrderedDict(a=X),
            collections.defaultdict(list, a=[X]),
            collections.deque([X], maxlen=2),
            torch.max(torch.ones(2, 2), 1),
            torch.nn.utils.rnn.pack_sequence([X]),
        ]
        assert [type(value) for value in clone(values)] == [type(value) for value in values]

    def test_nothing_that_a_call_does_comes_back(self) -> None:
        tensor, items, state = X.clone(), [1], State([1])
        copy, copied_items, copied_state = clone((tensor, items, state))
        copy.add_(1)
        copied_items.append(2)
        copied_state.items.append(2)
        assert torch.equal(tensor, X) and items == [1] and state == State([1])

    def test_gradients_are_asked_for_as_before(self) -> None:
        leaf = X.clone().requires_grad_()
        kept, result, plain = clone((leaf, leaf * 2, X))
        assert (kept.requires_grad, result.requires_grad, plain.requires_grad) == (True, True, False)
        assert result.is_leaf

    def test_a_generator_draws_the_same_each_time(self) -> None:
        generator = torch.Generator().manual_seed(3)
        one, two = (torch.rand(2, generator=clone(generator)) for _ in range(2))
        assert torch.equal(one, two)

    def test_what_cannot_be_copied_is_shared(self) -> None:
        class Holder:
            def __init__(self) -> None:
                self.result = X.clone().requires_grad_() * 2

        holder = Holder()
        assert clone(holder) is holder


class TestTensorsWithoutValues:
    def test_are_the_same_by_shape_and_dtype(self) -> None:
        assert compare(torch.ones(2, device="meta"), torch.zeros(2, device="meta"))

    @pytest.mark.parametrize("other", [torch.ones(3, device="meta"), torch.ones(2)])
    def test_differ(self, other: torch.Tensor) -> None:
        with pytest.raises(Difference, match=r"shape|device"):
            compare(torch.ones(2, device="meta"), other)
