"""What is asked, and what the answers make of the plan: all taken is as if nobody had been asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from planned_choices import SOURCE, add_mend, make_found

from pdt_annotate.flows.choice import FoundPlan, Taken, choose_until_verified
from pdt_annotate.search.plan import Plan, render
from pdt_annotate.values.errors import NothingTaken
from pdt_annotate.values.outcome import FileChange, Rendered
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Trial, Verdict

YES, NO = Trial((Verdict("scripts", True),)), Trial((Verdict("scripts", False),))


@pytest.fixture
def found(tmp_path: Path) -> FoundPlan:
    return make_found(tmp_path)


def own_change(rendered: Rendered) -> FileChange:
    return next(change for change in rendered.changes if change.file.endswith("model.py"))


@dataclass
class Answers:
    """A chooser that gives these answers, and keeps what it was told of failures."""

    first: Taken | None
    then: list[Taken | None] = field(default_factory=list)
    failures: list[Trial] = field(default_factory=list)
    takes_mends: bool = True

    def accept(self, found: FoundPlan) -> bool:
        return self.takes_mends

    def choose(self, found: FoundPlan) -> Taken:
        assert self.first is not None, "nobody is to be asked"
        return self.first

    def choose_again(self, found: FoundPlan, taken: Taken, rendered: Rendered, trial: Trial) -> Taken | None:
        self.failures.append(trial)
        return self.then.pop(0)


def passing(rendered: Rendered) -> Trial:
    return YES


def failing(rendered: Rendered) -> Trial:
    return NO


def choose(
    found: FoundPlan, answers: Answers | None, judge: Callable[[Rendered], Trial] = passing
) -> tuple[Rendered, Trial]:
    return choose_until_verified(found, judge, answers, lambda text: None)


def test_all_taken_is_as_if_nobody_had_been_asked(found: FoundPlan) -> None:
    whole = render(found.plan, found.project, {})
    assert choose(found, None, failing) == (whole, NO)
    assert choose(found, Answers(found.shares)) == (whole, YES)
    answers = Answers(found.shares)
    assert choose(found, answers, failing)[1] is NO
    assert not answers.failures, "there is no choice to go back on"
    assert choose(replace(found, plan=Plan()), Answers(None))[1] is YES


def test_a_share_left_out_is_left_as_it_was_and_an_edited_one_is_written(found: FoundPlan) -> None:
    assert [(owner.qualname, len(share)) for owner, share in found.shares.items()] == [("scale", 1), ("Net.forward", 2)]
    scale, forward = found.shares
    rendered, _ = choose(found, Answers({forward: found.shares[forward]}))
    after = own_change(rendered).after
    assert b"def scale(x, factor):" in after
    assert b"def forward(self, x: Tensor, mask: Optional[Tensor] = None):" in after
    assert len(rendered.changes) == 2, "what is outside the root stays in the overlay"
    (factor,) = found.shares[scale]
    edited = {scale: (replace(factor, type=TypeExpr("float")),), forward: found.shares[forward]}
    assert b"def scale(x, factor: float):" in own_change(choose(found, Answers(edited))[0]).after


def test_a_preview_is_what_the_share_adds_to_what_is_taken(found: FoundPlan) -> None:
    scale, forward = found.shares
    alone = found.preview({}, scale, found.shares[scale])
    assert (alone.before, alone.after) == (SOURCE, SOURCE.replace(b"factor)", b"factor: int)"))
    second = found.preview({scale: found.shares[scale]}, forward, found.shares[forward])
    assert second.before == alone.after
    assert second.after == own_change(found.rendered).after
    again = found.preview(found.shares, scale, found.shares[scale])
    assert again.after == second.after, "one that is asked for again is not there twice"


def test_nothing_taken_is_not_judged(found: FoundPlan) -> None:
    for taken in ({}, dict.fromkeys(found.shares, ())):
        with pytest.raises(NothingTaken):
            choose(found, Answers(taken), lambda rendered: pytest.fail("judged"))


def test_what_does_not_verify_can_be_chosen_again_or_given_up(found: FoundPlan) -> None:
    scale = next(iter(found.shares))
    answers = Answers({scale: found.shares[scale]}, [found.shares])
    judged = choose(found, answers, lambda rendered: YES if rendered == found.rendered else NO)
    assert judged == (found.rendered, YES)
    assert answers.failures == [NO]
    rendered, trial = choose(found, Answers({scale: found.shares[scale]}, [None]), failing)
    assert trial is NO
    assert b"factor: int" in own_change(rendered).after


def test_mends_are_asked_for_first_and_without_them_nothing_is_taken(found: FoundPlan) -> None:
    with pytest.raises(NothingTaken):
        choose(add_mend(found), Answers(None, takes_mends=False))
    assert choose(found, Answers(found.shares, takes_mends=False))[1] is YES, "there are none"
    rendered, trial = choose(add_mend(found), Answers({}))
    assert trial is YES
    assert [change for change in rendered.changes if change.file.endswith("model.py")] == []


def test_what_mends_change_is_told_apart_from_annotations(found: FoundPlan) -> None:
    (change,) = add_mend(found).mending
    assert change.before == SOURCE
    assert change.after == SOURCE.replace(b"return x * factor", b"return factor * x * factor")
    assert list(found.mending) == []
