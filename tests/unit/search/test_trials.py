"""Trials that are taken for known: only where the compiler looked at nothing that differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from pdt_annotate.search.plan import Plan
from pdt_annotate.search.trials import KnownTrials
from pdt_annotate.source.project import Project
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure, Trial, Verdict

SOURCE = """
def read(x):
    a = []
    b = []
    return a, b


def unread(x):
    return x
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    (tmp_path / "m.py").write_text(SOURCE)
    return str(tmp_path / "m.py")


@pytest.fixture
def trials(file: str) -> KnownTrials:
    return KnownTrials(Project(str(Path(file).parent), {"m": file}), lambda owners: owners)


@pytest.fixture
def plan(file: str) -> Plan:
    """One parameter of `read` is annotated."""
    return Plan().with_([note(file, "read", "x")])


def note(file: str, function: str, name: str, kind: SlotKind = SlotKind.PARAMETER, line: int = 0) -> Annotation:
    owner = Owner(file, function, {"read": 2, "unread": 8}.get(function, 0))
    return Annotation(Slot(owner, kind, name, line), TypeExpr("int"))


def failed_at(file: str, line: int) -> Trial:
    verdict = Verdict("scripts", False, Failure("no", "RuntimeError", Place(file, line)))
    return Trial((verdict,), compiled=(Owner(file, "read", 2),))


def test_nothing_is_known_of_another_subject_or_after_building_anew(file: str, trials: KnownTrials, plan: Plan) -> None:
    trials.note("whole", plan, failed_at(file, 4))
    assert trials.find("part", plan) is None
    trials.forget()
    assert trials.find("whole", plan) is None


def test_an_annotation_that_was_read_and_differs_makes_another_trial(
    file: str, trials: KnownTrials, plan: Plan
) -> None:
    trials.note("whole", plan, failed_at(file, 4))
    earlier = note(file, "read", "a", SlotKind.LOCAL, 3)
    attribute = note(file, "Net", "x", SlotKind.ATTRIBUTE)
    others = [Plan(), plan.with_([earlier]), plan.with_([attribute])]
    assert [trials.find("whole", other) for other in others] == [None, None, None]


def test_what_was_not_read_makes_no_difference(file: str, trials: KnownTrials, plan: Plan) -> None:
    trial = failed_at(file, 3)
    trials.note("whole", plan, trial)
    later = note(file, "read", "b", SlotKind.LOCAL, 4)
    for same in (plan, plan.with_([later]), plan.with_([note(file, "unread", "x")])):
        assert trials.find("whole", same) is trial


def test_what_holds_has_read_every_local(file: str, trials: KnownTrials, plan: Plan) -> None:
    held = Trial((Verdict("scripts", True),), compiled=(Owner(file, "read", 2),))
    trials.note("whole", plan, held)
    assert trials.find("whole", plan.with_([note(file, "unread", "x")])) is held
    assert trials.find("whole", plan.with_([note(file, "read", "b", SlotKind.LOCAL, 4)])) is None
