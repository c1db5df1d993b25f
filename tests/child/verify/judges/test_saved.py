"""Models saved and loaded, by the real compiler: here in this very process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from pdt_annotate.values.judges import SAVED
from pdt_annotate.verify.judges.clones import Done
from pdt_annotate.verify.judges.saved import CODE, Heard, hear, is_too_big, judge_saved
from pdt_annotate.verify.judges.values import Difference

script: Any = torch.jit.script
X = torch.tensor([1.0, 2.0])


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


def run(*args: Any) -> Callable[[Any], Done]:
    def make(which: Any) -> Done:
        try:
            return Done({}, {}, which(*args))
        except RuntimeError as error:
            return Done({}, {}, error=error)

    return make


def test_equal_answers_hold() -> None:
    for scripted in (script(double), script(Counter())):
        runs = [run(X), run(X)]
        heard = hear(scripted, runs, here)
        verdict = judge_saved(heard, ["first", "second"], [make(scripted) for make in runs])
        assert verdict.ok and verdict.judge == SAVED and verdict.failure is None


def test_other_answers_fail() -> None:
    heard = hear(script(double), [run(X)], here)
    failure = judge_saved(heard, ["first"], [Done({}, {}, (X * 2, [2]))]).failure
    assert failure is not None and not failure.code
    assert (failure.call, failure.message) == (
        "first",
        "saved and loaded, the result[1][0] is 1 once loaded, 2 before it was saved",
    )


def test_raising_is_compared() -> None:
    refused = hear(script(double), [run("no tensor")], here)
    failure = judge_saved(refused, ["first"], [Done({}, {}, X)]).failure
    assert failure is not None and failure.message.startswith("once loaded, the model raises ")
    assert judge_saved(refused, ["first"], [Done({}, {}, error=Difference("refused"))]).ok


def test_what_cannot_be_saved_is_a_finding_at_its_place() -> None:
    failure = judge_saved(hear(script(ignoring), [], here), [], []).failure
    assert failure is not None and failure.code == CODE
    assert failure.message == "the scripted model cannot be saved: Could not export Python function call 'in_python'"
    assert failure.place.file == __file__ and failure.place.line > 0


def test_what_does_not_load_is_a_finding() -> None:
    failure = judge_saved(hear(script(mixed), [], here), [], []).failure
    assert failure is not None and failure.code == CODE
    assert failure.message.startswith("the saved model cannot be loaded: Type mismatch: ")


def test_a_process_that_crashes_is_a_finding() -> None:
    failure = judge_saved(hear(script(double), [run(X)], lambda work, file: None), ["first"], []).failure
    assert failure is not None and failure.code == CODE and failure.message.endswith("crashes")


def test_what_is_too_big_to_be_saved() -> None:
    assert not is_too_big(script(torch.nn.Linear(3, 3))) and not is_too_big(script(double))
    with torch.device("meta"):
        assert is_too_big(torch.nn.Linear(2**14, 2**14))
