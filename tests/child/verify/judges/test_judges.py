"""Comparisons of judges, with the compiler: results, copies of arguments, effects, objects of classes, saved models."""

import collections
import copy
import dataclasses
import enum
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor, nn

from pdt_annotate.values.errors import SpecError
from pdt_annotate.values.runs import Call
from pdt_annotate.values.verdicts import ANSWERS, CALLERS_SEE, HELD_BACK, RUNS, SAVED
from pdt_annotate.verify.judges.clones import Done, Objects, ScriptedObjects, clone
from pdt_annotate.verify.judges.effects import State
from pdt_annotate.verify.judges.equality import CLASS, SEEN, Difference, judge_call
from pdt_annotate.verify.judges.saved import CODE, Heard, hear, is_too_big, judge_saved

X = torch.tensor([1.0, 2.0])
FIRST, HELD = Call(name="first"), Call(name="first", held_back=True)


def done(value: Any) -> Done:
    return Done({}, {}, value)


def perform(function: Callable[..., Any], *args: Any) -> Done:
    try:
        return done(function(*args))
    except Exception as error:
        return Done({}, {}, error=error)


def too_small(n: int) -> int:
    if n < 3:
        raise ValueError("too small")
    return n


class Own(Exception):
    pass


def raise_own(n: int) -> int:
    raise Own("mine")


@torch.jit.ignore
def ignored(x: torch.Tensor) -> torch.Tensor:
    raise NotImplementedError("not for the compiler")


def calls_ignored(x: torch.Tensor) -> torch.Tensor:
    return ignored(x)


EAGER, SCRIPTED = perform(too_small, 1), perform(torch.jit.script(too_small), 1)
VIEW: Any = torch.jit.CompilationUnit("def f(x: Tensor):\n    return x.view(7)\n").f


class Odd:
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise ZeroDivisionError


RAISES, HELD_RAISES = (Call(name="first", raises=True, held_back=held_back) for held_back in (False, True))
NO_RAISE = "the call is meant to raise, but does not"
NO_VIEW = "RuntimeError: shape '[7]' is invalid for input of size 2"
JUDGED: dict[str, tuple[Call, Done, Done, list[tuple[str, str, str]]]] = {
    "equal": (FIRST, done(X), done(X), [(ANSWERS, "", "")]),
    "equal, held back": (HELD, done(X), done(X), [(HELD_BACK, "", "")]),
    "different": (HELD, done(1), done(2), [(HELD_BACK, "", "the result is 2 when scripted, 1 in eager mode")]),
    "alike": (
        *(FIRST, done((1, 2)), done([1, 2])),
        [(ANSWERS, "", ""), (CALLERS_SEE, CLASS, "the result is a list when scripted, a tuple in eager mode")],
    ),
    "many alike ones": (
        *(FIRST, done([(1,)] * 5), done([[1]] * 5)),
        [
            (ANSWERS, "", ""),
            (CALLERS_SEE, CLASS, "the result[0] is a list when scripted, a tuple in eager mode"),
            (CALLERS_SEE, CLASS, "the result[1] is a list when scripted, a tuple in eager mode (and 3 more)"),
        ],
    ),
    "not comparable": (FIRST, done(Odd()), done(Odd()), [(ANSWERS, "", "the results raises ZeroDivisionError")]),
    "both raise": (FIRST, EAGER, SCRIPTED, [(ANSWERS, "", "")]),
    "an operation, which names no class, raises": (FIRST, EAGER, perform(VIEW, X), [(ANSWERS, "", "")]),
    "both raise, of different classes": (
        *(FIRST, perform(raise_own, 1), SCRIPTED),
        [(ANSWERS, "", ""), (CALLERS_SEE, SEEN, "the scripted model raises ValueError, and the eager model Own")],
    ),
    "eager alone raises": (FIRST, EAGER, done(X), [(ANSWERS, "", "the eager model raises ValueError")]),
    "scripted alone raises": (FIRST, done(X), perform(VIEW, X), [(RUNS, "", NO_VIEW)]),
    "scripted alone raises, in a function that stays Python": (
        *(FIRST, done(X), perform(torch.jit.script(calls_ignored), X)),
        [(RUNS, "", "RuntimeError: NotImplementedError: not for the compiler")],
    ),
    "scripted alone raises, held back": (HELD, done(X), perform(VIEW, X), [(HELD_BACK, "", NO_VIEW)]),
    "meant to raise": (RAISES, EAGER, SCRIPTED, [(ANSWERS, "", "")]),
    "meant to raise, held back": (HELD_RAISES, EAGER, SCRIPTED, [(HELD_BACK, "", "")]),
    "meant to raise, and does not": (RAISES, done(X), done(X), [(ANSWERS, "", NO_RAISE)]),
    "meant to raise, held back, and does not": (HELD_RAISES, done(X), done(X), [(HELD_BACK, "", NO_RAISE)]),
}
"""A call, both results, and the verdicts: the judge, the code, and the message of a "no"."""


@pytest.mark.parametrize(("call", "eager", "scripted", "expected"), JUDGED.values(), ids=JUDGED)
def test_answers(call: Call, eager: Done, scripted: Done, expected: list[tuple[str, str, str]]) -> None:
    for verdict, (judge, code, said) in zip(judge_call(call, eager, scripted), expected, strict=True):
        assert (verdict.judge, verdict.ok) == (judge, not said)
        failure = verdict.failure
        assert (failure is None) if not said else failure and said in failure.message
        assert failure is None or (failure.code, failure.call) == (code, "first")


class Colour(enum.Enum):
    RED = 1


class Point(NamedTuple):
    x: int
    y: torch.Tensor


@dataclasses.dataclass
class Items:
    items: list[int]


class TestClone:
    def test_what_has_an_identity_is_shared(self) -> None:
        module, lock, sentinel = torch.nn.Linear(1, 1), threading.Lock(), object()
        shared = [module, lock, sentinel, Items, len, self.test_what_has_an_identity_is_shared, Colour.RED, torch]
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
        tensor, items, state = X.clone(), [1], Items([1])
        copy, copied_items, copied_state = clone((tensor, items, state))
        copy.add_(1)
        copied_items.append(2)
        copied_state.items.append(2)
        assert torch.equal(tensor, X) and items == [1] and state == Items([1])

    def test_gradients_are_asked_for_as_before_and_a_generator_draws_the_same_each_time(self) -> None:
        leaf = X.clone().requires_grad_()
        kept, result, plain = clone((leaf, leaf * 2, X))
        assert (kept.requires_grad, result.requires_grad, plain.requires_grad) == (True, True, False)
        assert result.is_leaf
        generator = torch.Generator().manual_seed(3)
        one, two = (torch.rand(2, generator=clone(generator)) for _ in range(2))
        assert torch.equal(one, two)

    def test_what_cannot_be_copied_is_shared(self) -> None:
        class Holder:
            def __init__(self) -> None:
                self.result = X.clone().requires_grad_() * 2

        holder = Holder()
        assert clone(holder) is holder


def net(inner: nn.Module) -> nn.Module:
    return nn.Sequential(inner, nn.BatchNorm1d(2))


@pytest.mark.parametrize("scripted_before", [False, True])
def test_the_same_call_leaves_the_same(scripted_before: bool) -> None:
    linear = nn.Linear(2, 2)
    eager = net(torch.jit.script(linear) if scripted_before else linear)
    compiled = torch.jit.script(copy.deepcopy(eager))
    state = State(eager, compiled)
    for module in (eager, compiled):
        module(torch.ones(3, 2))
    state.compare()


def test_a_call_of_one_alone() -> None:
    eager = net(torch.jit.script(nn.Linear(2, 2)))
    state = State(eager, torch.jit.script(copy.deepcopy(eager)))
    eager(torch.ones(3, 2))
    with pytest.raises(Difference, match="running_mean"):
        state.compare()


class Meter:
    def __init__(self, n: int, step: int = 2):
        self.n = n
        self.step = step

    def add(self, by: int):
        self.n = self.n + by * self.step

    def total(self, scale: float):
        return self.n * scale


class Pair:
    def __init__(self, x: float):
        self.meter = Meter(2)
        self.x = x

    def half(self, x: float):
        return Pair(x / 2)


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    torch.jit.script(Pair)


def both(cls: type) -> tuple[Objects, ScriptedObjects]:
    eager = Objects(cls)
    return eager, ScriptedObjects(cls, eager)


def test_both_answer_alike() -> None:
    assert both(int)[1].type is None
    for objects in both(Meter):
        with pytest.raises(SpecError, match="no example call constructs a Meter to call 'add' of"):
            objects.run("add")
    for objects in both(Meter):
        assert objects.run("forward")(3) == {"n": 3, "step": 2}
        assert objects.run("add")(by=2) == {"n": 7, "step": 2}
        assert objects.run("total")(0.5) == 3.5
        assert objects.run("forward")(1, step=5) == {"n": 1, "step": 5}
        assert objects.run("total")(1.0) == 1.0


def test_the_scripted_one_is_compiled() -> None:
    eager, scripted = both(Meter)
    for objects in (eager, scripted):
        objects.run("forward")(1)
    assert isinstance(eager.run("total")(2), int)
    assert isinstance(scripted.run("total")(2), float)
    with pytest.raises(RuntimeError, match="Expected a value of type 'int'"):
        scripted.run("add")("a")


def test_objects_in_attributes_and_results() -> None:
    eager, scripted = both(Pair)
    for objects in (eager, scripted):
        held = objects.run("forward")(3.0)
        assert (held["x"], held["meter"].n) == (3.0, 2)
        assert objects.run("half")(3.0).x == 1.5


script: Any = torch.jit.script


def double(x: Tensor) -> tuple[Tensor, list[int]]:
    return x * 2, [1]


@torch.jit.ignore
def in_python(x):
    return x + 1


def ignoring(x: Tensor) -> Tensor:
    return in_python(x)


def mixed(x: Tensor, k: int | float) -> Tensor:
    if isinstance(k, int) and k > 1:
        return x * k
    return x


class Counter(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: Tensor):
        self.calls += 1
        return x * self.calls


def here(work: Callable[[Any], Heard], file: Any) -> Heard:
    return work(file)


def running(*args: Any) -> Callable[[Any], Done]:
    def make(which: Any) -> Done:
        try:
            return Done({}, {}, which(*args))
        except RuntimeError as error:
            return Done({}, {}, error=error)

    return make


def test_what_is_saved_answers_alike_and_raises_alike() -> None:
    for scripted in (script(double), script(Counter())):
        runs = [running(X), running(X)]
        verdict = judge_saved(hear(scripted, runs, here), ["first", "second"], [make(scripted) for make in runs])
        assert verdict.ok and verdict.judge == SAVED and verdict.failure is None
    heard = hear(script(double), [running(X)], here)
    failure = judge_saved(heard, ["first"], [Done({}, {}, (X * 2, [2]))]).failure
    assert failure is not None and not failure.code
    assert (failure.call, failure.message) == (
        "first",
        "after saving and loading, the result[1][0] is 1 once loaded, 2 before it was saved",
    )
    refused = hear(script(double), [running("no tensor")], here)
    failure = judge_saved(refused, ["first"], [Done({}, {}, X)]).failure
    assert failure is not None and failure.message.startswith("once loaded, the model raises ")
    assert judge_saved(refused, ["first"], [Done({}, {}, error=Difference("refused"))]).ok


def test_what_cannot_be_saved_or_loaded_is_a_finding() -> None:
    failure = judge_saved(hear(script(ignoring), [], here), [], []).failure
    assert failure is not None and failure.code == CODE
    assert failure.message == "the scripted model cannot be saved: Could not export Python function call 'in_python'"
    assert failure.place.file == __file__ and failure.place.line > 0
    failure = judge_saved(hear(script(mixed), [], here), [], []).failure
    assert failure is not None and failure.code == CODE
    assert failure.message.startswith("the saved model cannot be loaded: Type mismatch: ")
    failure = judge_saved(hear(script(double), [running(X)], lambda work, file: None), ["first"], []).failure
    assert failure is not None and failure.code == CODE and failure.message.endswith("crashes")


def test_what_is_too_big_to_be_saved() -> None:
    assert not is_too_big(script(torch.nn.Linear(3, 3))) and not is_too_big(script(double))
    with torch.device("meta"):
        assert is_too_big(torch.nn.Linear(2**14, 2**14))
