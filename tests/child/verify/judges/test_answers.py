"""One call judged: its answers, or what it raises, by the real compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch

from pdt_annotate.values.judges import ANSWERS, CALLERS_SEE, HELD_BACK, RUNS
from pdt_annotate.values.runs import Call
from pdt_annotate.values.verdicts import Verdict
from pdt_annotate.verify.judges.answers import judge_call
from pdt_annotate.verify.judges.clones import Done
from pdt_annotate.verify.judges.values import CLASS, SEEN

X = torch.tensor([1.0, 2.0])
FIRST, HELD = Call(name="first"), Call(name="first", held_back=True)


def answer(value: Any) -> Done:
    return Done({}, {}, value)


def run(function: Callable[..., Any], *args: Any) -> Done:
    try:
        return answer(function(*args))
    except Exception as error:
        return Done({}, {}, error=error)


def only(verdicts: Iterable[Verdict]) -> Verdict:
    (verdict,) = verdicts
    return verdict


def too_small(n: int) -> int:
    if n < 3:
        raise ValueError("too small")
    return n


class Own(Exception):
    pass


def raise_own(n: int) -> int:
    raise Own("mine")


EAGER, SCRIPTED = run(too_small, 1), run(torch.jit.script(too_small), 1)
VIEW: Any = torch.jit.CompilationUnit("def f(x: Tensor):\n    return x.view(7)\n").f


class TestAnswers:
    def test_equal_ones_hold(self) -> None:
        verdict = only(judge_call(FIRST, answer(X), answer(X)))
        assert verdict.ok and verdict.judge == ANSWERS
        assert only(judge_call(HELD, answer(X), answer(X))).judge == HELD_BACK

    def test_different_ones(self) -> None:
        verdict = only(judge_call(HELD, answer(1), answer(2)))
        assert not verdict.ok and verdict.judge == HELD_BACK and verdict.failure is not None
        assert not verdict.failure.code

    def test_alike_ones_hold_with_a_remark(self) -> None:
        verdict, remark = judge_call(FIRST, answer((1, 2)), answer([1, 2]))
        assert verdict.ok and verdict.failure is None
        assert remark.judge == CALLERS_SEE and not remark.ok and remark.failure is not None
        assert (remark.failure.code, remark.failure.call) == (CLASS, "first")
        assert remark.failure.message == "the result is a list when scripted, a tuple in eager mode"

    def test_many_remarks_are_counted(self) -> None:
        _, *remarks = judge_call(FIRST, answer([(1,)] * 5), answer([[1]] * 5))
        assert [remark.failure.message for remark in remarks if remark.failure] == [
            "the result[0] is a list when scripted, a tuple in eager mode",
            "the result[1] is a list when scripted, a tuple in eager mode (and 3 more)",
        ]

    def test_an_answer_that_cannot_be_compared(self) -> None:
        class Odd:
            __slots__ = ()

            def __eq__(self, other: object) -> bool:
                raise ZeroDivisionError

        failure = only(judge_call(FIRST, answer(Odd()), answer(Odd()))).failure
        assert failure is not None and failure.message == "comparing the results raises ZeroDivisionError"


class TestRaising:
    def test_both_raise(self) -> None:
        verdict = only(judge_call(FIRST, EAGER, SCRIPTED))
        assert verdict.ok and verdict.judge == ANSWERS

    def test_an_error_of_an_operation_names_no_class(self) -> None:
        assert only(judge_call(FIRST, EAGER, run(VIEW, X))).ok

    def test_another_class_is_remarked(self) -> None:
        verdict, remark = judge_call(FIRST, run(raise_own, 1), SCRIPTED)
        assert verdict.ok and remark.failure is not None
        assert remark.failure.code == SEEN
        assert remark.failure.message == "the scripted model raises ValueError, the eager one Own"

    def test_only_eager_raises(self) -> None:
        verdict = only(judge_call(FIRST, EAGER, answer(X)))
        assert not verdict.ok and verdict.failure is not None
        assert "the eager model raises ValueError" in verdict.failure.message
        assert verdict.failure.call == "first"

    def test_only_scripted_raises(self) -> None:
        verdict = only(judge_call(FIRST, answer(X), run(VIEW, X)))
        assert not verdict.ok and verdict.judge == RUNS and verdict.failure is not None
        assert verdict.failure.message.endswith("RuntimeError: shape '[7]' is invalid for input of size 2")
        assert verdict.failure.call == "first"
        assert only(judge_call(HELD, answer(X), run(VIEW, X))).judge == HELD_BACK

    @pytest.mark.parametrize("held_back", [False, True])
    def test_a_call_that_is_meant_to_raise(self, held_back: bool) -> None:
        call = Call(name="first", raises=True, held_back=held_back)
        assert only(judge_call(call, EAGER, SCRIPTED)).ok
        failure = only(judge_call(call, answer(X), answer(X))).failure
        assert failure is not None and failure.message == "the call is meant to raise, and does not"
