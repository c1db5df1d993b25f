"""What is told of traps and drawn calls, and what they do to the verdict."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.flows.further import review_further, with_further
from pdt_annotate.values.further import Counterexample, Further, Trap
from pdt_annotate.values.places import Place
from pdt_annotate.values.verdicts import Trial, Verdict

PLACE = Place("model.py", 3, 5)
TRAP = Trap("PDT110", "`len` is 1", PLACE)
DOUBTFUL = replace(TRAP, code="PDT120", doubtful=True)
PASSED = Trial((Verdict("scripts", True),))


def call(*confirms: Trap) -> Counterexample:
    return Counterexample("Call((1,))", "the result differs", PLACE, confirms)


def test_nothing_further_is_nothing_told() -> None:
    assert list(review_further(Further())) == []
    assert with_further(PASSED, Further()).ok


def test_a_trap_is_told_and_one_for_odd_values_is_not() -> None:
    further = Further(traps=(TRAP, DOUBTFUL))
    assert [(each.code, each.message, each.place) for each in review_further(further)] == [
        (TRAP.code, TRAP.message, PLACE)
    ]
    assert with_further(PASSED, further).ok


def test_a_call_that_confirms_one_for_odd_values_fails_verification() -> None:
    trial = with_further(PASSED, Further((DOUBTFUL,), (call(DOUBTFUL), call())))
    assert [verdict.ok for verdict in trial.verdicts] == [True, False]
    assert trial.failure is not None and trial.failure.place == PLACE
