"""What is asked, and what the answers make of the plan: all taken is as if nobody had been asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from planned_choices import SOURCE, make_found

from pdt_annotate.flows.choice import FoundPlan, Taken, choose_until_verified
from pdt_annotate.search.mend.make import Mended
from pdt_annotate.search.plan import Plan, render
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.errors import NothingTaken
from pdt_annotate.values.mends import Mend, MendKind
from pdt_annotate.values.outcome import FileChange, Rendered
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Trial, Verdict

YES, NO = Trial((Verdict("scripts", True),)), Trial((Verdict("scripts", False),))


def silent(text: str) -> None:
    """Progress that nobody watches."""


@pytest.fixture
def found(tmp_path: Path) -> FoundPlan:
    return make_found(tmp_path)


def own_change(rendered: Rendered) -> FileChange:
    return next(change for change in rendered.changes if change.file.endswith("model.py"))


@dataclass
class Answers:
    """A chooser that gives these answers, and keeps what it was told of failures."""

    first: Callable[[FoundPlan], Taken]
    then: list[Taken | None] = field(default_factory=list)
    failures: list[Trial] = field(default_factory=list)
    takes_mends: bool = True

    def accept(self, found: FoundPlan) -> bool:
        return self.takes_mends

    def choose(self, found: FoundPlan) -> Taken:
        return self.first(found)

    def choose_again(self, found: FoundPlan, taken: Taken, rendered: Rendered, trial: Trial) -> Taken | None:
        self.failures.append(trial)
        return self.then.pop(0)


def all_of(found: FoundPlan) -> Taken:
    return found.shares


def test_without_a_chooser_all_is_taken(found: FoundPlan) -> None:
    rendered, trial = choose_until_verified(found, lambda rendered: NO, None, silent)
    assert (rendered, trial) == (render(found.plan, found.project, {}), NO)


def test_all_taken_is_as_if_nobody_had_been_asked(found: FoundPlan) -> None:
    rendered, _ = choose_until_verified(found, lambda rendered: YES, Answers(all_of), silent)
    assert rendered == render(found.plan, found.project, {})


def test_where_nothing_is_found_nobody_is_asked(found: FoundPlan) -> None:
    empty = replace(found, plan=Plan())
    assert (
        choose_until_verified(empty, lambda rendered: YES, Answers(lambda found: pytest.fail("asked")), silent)[1]
        is YES
    )


def test_functions_are_asked_for_in_source_order_and_an_overlays_are_not(found: FoundPlan) -> None:
    assert [(owner.qualname, len(share)) for owner, share in found.shares.items()] == [("scale", 1), ("Net.forward", 2)]


def test_a_share_left_out_is_left_as_it_was(found: FoundPlan) -> None:
    forward = {owner: share for owner, share in found.shares.items() if owner.qualname == "Net.forward"}
    rendered, _ = choose_until_verified(found, lambda rendered: YES, Answers(lambda found: forward), silent)
    after = own_change(rendered).after
    assert b"def scale(x, factor):" in after
    assert b"def forward(self, x: Tensor, mask: Optional[Tensor] = None):" in after
    assert len(rendered.changes) == 2, "what is outside the root stays in the overlay"


def test_an_edited_annotation_is_written(found: FoundPlan) -> None:
    scale, forward = found.shares
    (factor,) = found.shares[scale]
    taken = {scale: (replace(factor, type=TypeExpr("float")),), forward: found.shares[forward]}
    rendered, _ = choose_until_verified(found, lambda rendered: YES, Answers(lambda found: taken), silent)
    assert b"def scale(x, factor: float):" in own_change(rendered).after


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
    def judge(rendered: Rendered) -> Trial:
        raise AssertionError("judged")

    with pytest.raises(NothingTaken):
        choose_until_verified(found, judge, Answers(lambda found: {}), silent)
    with pytest.raises(NothingTaken):
        choose_until_verified(found, judge, Answers(lambda found: dict.fromkeys(found.shares, ())), silent)


def test_what_does_not_verify_can_be_chosen_again(found: FoundPlan) -> None:
    scale = next(iter(found.shares))
    answers = Answers(lambda found: {scale: found.shares[scale]}, [found.shares])

    def judge(rendered: Rendered) -> Trial:
        return YES if rendered == found.rendered else NO

    assert choose_until_verified(found, judge, answers, silent) == (found.rendered, YES)
    assert answers.failures == [NO]


def test_what_is_given_up_stays_unverified(found: FoundPlan) -> None:
    scale = next(iter(found.shares))
    rendered, trial = choose_until_verified(
        found, lambda rendered: NO, Answers(lambda found: {scale: found.shares[scale]}, [None]), silent
    )
    assert trial is NO
    assert b"factor: int" in own_change(rendered).after


def test_all_that_was_found_is_no_choice_to_go_back_on(found: FoundPlan) -> None:
    answers = Answers(all_of)
    assert choose_until_verified(found, lambda rendered: NO, answers, silent)[1] is NO
    assert not answers.failures


def mended(found: FoundPlan) -> FoundPlan:
    """The same with a mend in the file, which moves its lines."""
    project = found.project
    file = project.modules["model"]
    edit = Edit(SOURCE.index(b"return x * factor"), "# scaled\n    ")
    mend = Mend("made up", MendKind.EXACT, Owner(file, "scale", 4), Place(file, 5, 5), "`scale` tells", {file: (edit,)})
    files = Mended(project).add([mend], project)
    return replace(found, project=files.project, mended=files)


def test_mends_are_asked_for_first_and_without_them_nothing_is_taken(found: FoundPlan) -> None:
    refuses = Answers(lambda found: pytest.fail("asked"), takes_mends=False)
    with pytest.raises(NothingTaken):
        choose_until_verified(mended(found), lambda rendered: YES, refuses, silent)


def test_without_mends_nobody_is_asked_about_them(found: FoundPlan) -> None:
    chooser = Answers(all_of, takes_mends=False)
    assert choose_until_verified(found, lambda rendered: YES, chooser, silent)[1] is YES


def test_mends_may_be_taken_without_any_annotation(found: FoundPlan) -> None:
    rendered, trial = choose_until_verified(mended(found), lambda rendered: YES, Answers(lambda found: {}), silent)
    assert trial is YES
    assert [change for change in rendered.changes if change.file.endswith("model.py")] == []


def test_what_mends_change_is_told_apart_from_annotations(found: FoundPlan) -> None:
    (change,) = mended(found).mending
    assert change.before == SOURCE
    assert change.after == SOURCE.replace(b"return x * factor", b"# scaled\n    return x * factor")
    assert list(found.mending) == []
