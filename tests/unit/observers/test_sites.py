"""The tracer in a recorded program: ignored calls, the number of inspected calls, and calls inside `forward`."""

import os
import pickle
import sys
from collections.abc import Callable
from typing import Any

import pytest
from torch import nn

from pdt_annotate.observers.files import make_code_filter
from pdt_annotate.observers.sites import Examples, Store
from pdt_annotate.observers.tracer import FIRST_PAUSE, LOOKS, PAUSE, Tracer
from pdt_annotate.values.slots import Observation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr

HERE = os.path.dirname(os.path.realpath(__file__))


class Pauses:
    def __init__(self) -> None:
        self.asked: list[tuple[int, bool]] = []
        self.errors: list[BaseException] = []

    def pause(self, idle: int, found: bool) -> None:
        self.asked.append((idle, found))

    def give_up(self, error: BaseException) -> None:
        self.errors.append(error)


def trace(run: Callable[[], Any], pauses: Pauses | None = None, wanted: Any = lambda owner: ()) -> Tracer:
    pauses = pauses or Pauses()
    tracer = Tracer(
        Store(),
        make_code_filter(HERE),
        wanted,
        looks=LOOKS,
        pause=pauses.pause,
        give_up=pauses.give_up,
        examples=Examples(),
    )
    sys.setprofile(tracer.profile_function())
    try:
        run()
    finally:
        sys.setprofile(None)
    tracer.flush()
    return tracer


def of(tracer: Tracer, function: str, name: str) -> dict[str, Observation]:
    found = [o for o in tracer.store.observations() if o.slot.owner.qualname == function and o.slot.name == name]
    return {str(o.type): o for o in found}


def inside(tracer: Tracer) -> set[str]:
    return {owner.qualname for owner in tracer.in_forward()}


def plain(x: Any, n: Any = 3) -> Any:
    return x


def helper(x: Any) -> Any:
    return x


def fails(x: Any) -> Any:
    raise ValueError


class Net(nn.Module):
    def __init__(self, size: Any = 2) -> None:
        super().__init__()
        self.size = helper(size)

    def forward(self, x: Any) -> Any:
        return helper(x)


class Box:
    def __init__(self, size: Any) -> None:
        self.size = size


class TestLeavesAlone:
    def test_constructors_of_modules_and_the_exceptions_of_a_program(self) -> None:
        def run() -> None:
            Net()
            Box(1)
            with pytest.raises(ValueError):
                fails(1)

        tracer = trace(run)
        assert not of(tracer, "Net.__init__", "size")
        assert set(of(tracer, "Box.__init__", "size")) == set(of(tracer, "fails", "x")) == {"int"}
        assert not of(tracer, "fails", "return")

    def test_what_runs_where_our_own_code_fails_or_at_the_limit_of_recursion(self) -> None:
        def broken(owner: Any) -> Any:
            raise OSError("no luck")

        def dive(depth: Any) -> Any:
            return dive(depth + 1)

        def run() -> None:
            with pytest.raises(RecursionError):
                dive(0)

        deep, pauses = Pauses(), Pauses()
        trace(run, deep)
        trace(lambda: plain(1), pauses, wanted=broken)
        assert not deep.errors
        assert pauses.errors and all(isinstance(error, OSError) for error in pauses.errors)

    def test_code_made_at_run_time_is_not_kept(self) -> None:
        def run() -> None:
            for _ in range(100):
                exec("def made(): pass\nmade()", {})

        before = len(trace(lambda: None)._codes)
        assert len(trace(run)._codes) <= before + 2


class TestBound:
    def test_containers_are_looked_into_ever_more_seldom_and_new_classes_at_once(self) -> None:
        calls = 64 * LOOKS

        def run() -> None:
            for _ in range(calls):
                plain([1], 2.0)

        tracer = trace(run)
        assert of(tracer, "plain", "n")["float"].count == calls
        assert LOOKS <= of(tracer, "plain", "x")["List[int]"].count < 2 * LOOKS
        assert LOOKS <= of(tracer, "plain", "return")["List[int]"].count < 2 * LOOKS

        def run() -> None:
            for _ in range(10 * LOOKS):
                plain([1])
            plain((1,))

        tracer = trace(run)
        assert set(of(tracer, "plain", "x")) == {"List[int]", "Tuple[int]"}
        tracer.flush()
        assert of(tracer, "plain", "n")["int"].count == 10 * LOOKS + 1

    def test_pauses_tell_how_long_nothing_was_new(self) -> None:
        def run() -> None:
            for _ in range(3 * PAUSE):
                plain(1)

        pauses = Pauses()
        trace(run, pauses)
        soon = [FIRST_PAUSE << n for n in range((PAUSE // FIRST_PAUSE).bit_length())]
        assert [idle for idle, _ in pauses.asked] == [0, *soon, 2 * PAUSE]
        assert all(found for _, found in pauses.asked)


class TestForward:
    def test_functions_that_a_module_calls_until_an_exception_leaves_it(self) -> None:
        assert inside(trace(lambda: (Net()(1), plain(1)))) == {"Net.forward", "helper"}
        net = Net()
        assert inside(trace(lambda: (net.forward(1), plain(2)))) == {"Net.forward", "helper"}
        assert not inside(trace(Net))

        class Failing(nn.Module):
            def forward(self, x: Any) -> Any:
                return fails(x)

        def run() -> None:
            with pytest.raises(ValueError):
                Failing()(1)
            plain(1)

        assert not inside(trace(run)) & {"plain"}

    def test_an_observer_that_begins_inside_it(self) -> None:
        class Arming(nn.Module):
            def forward(self, x: Any) -> Any:
                sys.setprofile(tracer.profile_function())
                return helper(x)

        tracer = trace(lambda: Net()(1))
        for site in filter(None, tracer._sites.values()):
            site.inside = False
        try:
            Arming()(1)
            plain(1)
        finally:
            sys.setprofile(None)
        assert inside(tracer) == {"helper"}


INT, STR = TypeExpr("int"), TypeExpr("str")


def observed(*added: tuple[int, TypeExpr, int, str]) -> list[Observation]:
    """The observations of a store after these were added: the line, the type, the count and the call."""
    store = Store()
    for line, type_, count, call in added:
        store.call = call
        store.add(Slot(Owner("model.py", "f", line), SlotKind.PARAMETER, "x"), type_, count)
    return list(store.observations())


def test_counts_and_calls_by_slots_in_source_order_and_types_as_seen_but_no_traces_of_monkeytype() -> None:
    assert observed() == []
    found = observed((1, INT, 2, "first"), (1, INT, 1, "second"), (1, STR, 1, "second"), (1, INT, 1, "first"))
    assert [(o.type, o.count, o.calls) for o in found] == [(INT, 4, ("first", "second")), (STR, 1, ("second",))]
    assert pickle.loads(pickle.dumps(found)) == found
    again = Store()
    again.add(found[0].slot, INT)
    again.repeat()
    again.add(found[0].slot, INT)
    again.add(found[0].slot, STR)
    assert [(o.type, o.count) for o in again.observations()] == [(INT, 1), (STR, 1)]
    found = observed(*((line, type_, 1, "") for line, type_ in ((9, STR), (1, STR), (1, INT))))
    assert [(o.slot.owner.line, o.type) for o in found] == [(1, STR), (1, INT), (9, STR)]
    trace: Any = None
    with pytest.raises(TypeError):
        Store().log(trace)
