"""What the examples do not show: how long calls are drawn, what is told of those that differ, and of traps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pdt_annotate.flows.verify import beside, review_further, seconds_to_probe, with_further
from pdt_annotate.settings.options import Options
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.further import Counterexample, Further, Trap
from pdt_annotate.values.outcome import FileChange
from pdt_annotate.values.places import Place
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.values.verdicts import Trial, Verdict

OPTIONS = Options((), SpecSource("spec.py"), ".")
PLACE = Place("model.py", 3, 1)
TRAP = Trap("PDT100", "a wrapper is left out", PLACE)
DOUBTFUL = replace(TRAP, code="PDT120", doubtful=True)
PASSED = Trial((Verdict("scripts", True),))


def call(*confirms: Trap) -> Counterexample:
    return Counterexample("(1, 2)", "the result is 1", Place("model.py", 4), confirms)


def test_nothing_further_is_nothing_told() -> None:
    assert list(review_further(Further())) == []
    assert with_further(PASSED, Further()).ok


def test_drawn_calls_take_a_part_of_the_budget_and_no_part_of_what_the_run_took() -> None:
    assert seconds_to_probe(OPTIONS) == OPTIONS.budget / 10
    assert seconds_to_probe(replace(OPTIONS, budget=1.0)) == 0.1
    assert seconds_to_probe(replace(OPTIONS, no_probe=True)) == 0


@pytest.mark.parametrize(("count", "said"), [(1, "1 further call not tried"), (7, "7 further calls not tried")])
def test_calls_for_which_there_was_no_time_are_a_finding(count: int, said: str) -> None:
    (finding,) = review_further(Further(undrawn=count) | Further())
    assert finding.code == "PDT091" and said in finding.message


def test_a_trap_is_told_and_one_for_odd_values_is_not() -> None:
    further = Further(traps=(TRAP, DOUBTFUL))
    assert [(each.code, each.message, each.place) for each in review_further(further)] == [
        (TRAP.code, TRAP.message, PLACE)
    ]
    assert with_further(PASSED, further).ok


def test_a_call_that_confirms_no_trap_is_a_finding() -> None:
    further = Further((), (call(),))
    assert with_further(PASSED, further).ok
    (finding,) = review_further(further)
    assert finding.code == "PDT067" and finding.place == call().place and finding.message.endswith("(1, 2)")


def test_a_call_that_confirms_a_trap_fails_verification() -> None:
    further = Further((TRAP, DOUBTFUL), (call(TRAP), call()))
    trial = with_further(PASSED, further)
    assert [verdict.ok for verdict in trial.verdicts] == [True, False] and trial.failure is not None
    assert trial.failure.message.endswith("(1, 2)") and "PDT100" in trial.failure.message
    assert [finding.code for finding in review_further(further)] == ["PDT100", "PDT067"]


def test_a_call_that_differs_mildly_is_a_finding_of_its_trap() -> None:
    further = Further((DOUBTFUL,), (replace(call(DOUBTFUL), is_mild=True),))
    assert with_further(PASSED, further).ok
    assert [finding.code for finding in review_further(further)] == ["PDT120"]


def test_what_could_not_be_looked_at_is_said_and_no_failure() -> None:
    trial = with_further(PASSED, Further(unseen=("traps: KeyError at find, line 3",)))
    assert trial.ok and trial.verdicts[-1].note == "not looked at traps: KeyError at find, line 3"


def test_its_place_is_that_in_the_files_as_changed() -> None:
    before, edit = b"def f(x):\n    return len(x)\n", Edit(0, "import torch\n")
    change = FileChange("model.py", before, b"import torch\n" + before, (edit,))
    found = replace(call(TRAP), place=Place("model.py", 2, 12))
    trial = with_further(PASSED, Further((TRAP,), (found,)), [change])
    assert trial.failure is not None and trial.failure.place == Place("model.py", 3, 12)


def test_work_beside_a_block_gives_its_result_or_its_error() -> None:
    with beside(lambda: 3) as result:
        assert result() == 3
    with beside(lambda: 1 // 0) as result, pytest.raises(ZeroDivisionError):
        result()
