"""What the examples do not show: how long calls are drawn, and what is told of those that differ."""

from __future__ import annotations

from dataclasses import replace

from pdt_annotate.flows.further import LEAST, review_further, seconds_to_probe, with_further
from pdt_annotate.settings.options import Options
from pdt_annotate.values.further import Counterexample, Further, Trap
from pdt_annotate.values.places import Place
from pdt_annotate.values.progress import Timing
from pdt_annotate.values.runs import SpecSource
from pdt_annotate.values.verdicts import Trial, Verdict

OPTIONS = Options((), SpecSource("spec.py"), ".")
TRAP = Trap("PDT100", "a wrapper is left out", Place("model.py", 3, 1))
FOUND = Counterexample("(1, 2)", "the result is 1", Place("model.py", 4))
PASSED = Trial((Verdict("scripts", True),))


def test_calls_are_drawn_for_a_part_of_what_the_run_took() -> None:
    assert seconds_to_probe(OPTIONS, []) == LEAST
    assert 1 < seconds_to_probe(OPTIONS, [Timing("a", 10), Timing("b", 20)]) < 6
    assert seconds_to_probe(replace(OPTIONS, budget=1.0), [Timing("a", 500)]) <= 0.1
    assert seconds_to_probe(replace(OPTIONS, no_probe=True), [Timing("a", 500)]) == 0


def test_a_call_that_confirms_no_trap_is_a_finding() -> None:
    further = Further((), (FOUND,))
    assert with_further(PASSED, further).ok
    (finding,) = review_further(further)
    assert finding.code == "PDT067" and finding.place == FOUND.place and finding.message.endswith("(1, 2)")


def test_a_call_that_confirms_a_trap_fails_verification() -> None:
    further = Further((TRAP,), (replace(FOUND, confirms=(TRAP,)),))
    trial = with_further(PASSED, further)
    assert not trial.ok and trial.failure is not None
    assert trial.failure.message.endswith("(1, 2)") and "PDT100" in trial.failure.message
    assert [finding.code for finding in review_further(further)] == ["PDT100"]
