"""The recommended next step after a failed run."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from outcomes import fail, make_outcome

from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.emit.machine.json_file import next_step
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import Outcome
from pdt_annotate.values.slots import Place
from pdt_annotate.values.verdicts import AS_BEFORE, Blame, Failure, Fault, Part, Verdict

COMMAND = "pdt-annotate model.py:Net -i inputs.py"


def step_of(outcome: Outcome, write_back: WriteBack = WriteBack.IN_PLACE) -> dict[str, Any]:
    return dict(next_step(outcome, Invocation(outcome.root, write_back, command=COMMAND)))


@pytest.mark.parametrize("write_back", [WriteBack.IN_PLACE, WriteBack.DIFF, WriteBack.NOTHING])
def test_a_run_that_verifies_has_none(tmp_path: Path, write_back: WriteBack) -> None:
    assert step_of(make_outcome(tmp_path), write_back) == {}


def test_no_mend_is_offered_for_an_edit(tmp_path: Path) -> None:
    failed = Verdict(AS_BEFORE, False, Failure("in Python, the result differs", call="call 2"))
    step = step_of(replace(make_outcome(tmp_path), verdicts=(failed,), verified=False), WriteBack.NOTHING)
    assert (step["code"], step["call"]) == ("PDT078", "call 2") and "no_mend" not in step
    assert step["cause"].startswith("verification failed: the edit changes the behaviour on call 2\n")


@pytest.mark.parametrize(
    ("asked_for", "said"),
    [
        ((), "`--mend` has no code change for this message"),
        (("words",), "the mends for this message (`words`) have conditions that this code does not meet"),
        (tuple("abcd"), "the mends for this message (`a`, `b`, `c` and others) have"),
    ],
)
def test_the_first_fault_with_its_lines_and_why_no_mend_helps(
    tmp_path: Path, asked_for: tuple[str, ...], said: str
) -> None:
    outcome = fail(make_outcome(tmp_path))
    failure = Failure(
        "Set aren't supported", place=Place(str(tmp_path / "model.py"), 2, 1), text="Set aren't supported"
    )
    fault = Fault("PDT004", failure, advice=("Use a list or a tuple.", "Or leave it out."), asked_for=asked_for)
    blamed = Blame(outcome.targets[0], (Part("", "Net", faults=(fault,)),))
    step = step_of(replace(outcome, changes=(), blame=(blamed,)))
    assert (step["file"], step["line"], step["do"]) == ("model.py", 2, "Use a list or a tuple.")
    assert step["advice"] == ["Or leave it out."] and str(step["no_mend"]).startswith(said)
    assert [each["line"] for each in step["lines"]][:2] == [1, 2]
    unmended = step_of(replace(outcome, changes=(), blame=(blamed,)), WriteBack.NOTHING)["no_mend"]
    assert "--mend all" in str(unmended)
