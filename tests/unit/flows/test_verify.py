"""Messages before a run, about types that the examples do not show, and about captures; the review, and its result."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from captured import REFUSED, calls, make_captures
from planned_choices import SOURCE, add_mend, make_found

from pdt_annotate.flows.beyond_examples import meanwhile, review_further, seconds_to_probe, with_further
from pdt_annotate.flows.captures import with_required
from pdt_annotate.flows.choice import FoundPlan, Taken, choose_until_verified
from pdt_annotate.flows.preflight import check_outputs
from pdt_annotate.search.plan import Plan, render
from pdt_annotate.settings.make_options import make_options
from pdt_annotate.settings.options import Options
from pdt_annotate.values.capture_results import CallFate, Captures, Fate
from pdt_annotate.values.edits import Edit
from pdt_annotate.values.errors import NothingTaken, UserError
from pdt_annotate.values.outcome import FileChange, Rendered
from pdt_annotate.values.runs import SpecSource, Target
from pdt_annotate.values.slots import Place
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Counterexample, Further, Trap, Trial, Verdict

OPTIONS = Options((), SpecSource("spec.py"), ".")
PLACE = Place("model.py", 3, 1)
TRAP = Trap("PDT100", "a wrapper is left out", PLACE)
DOUBTFUL = replace(TRAP, code="PDT120", doubtful=True)
PASSED = Trial((Verdict("scripts", True),))


def call(*confirms: Trap) -> Counterexample:
    return Counterexample("(1, 2)", "the result is 1", Place("model.py", 4), confirms)


CONFIRMED = Further((TRAP, DOUBTFUL), (call(TRAP), call()))


@pytest.mark.parametrize(
    ("further", "is_ok", "codes"),
    [
        (Further(), True, []),
        (Further(traps=(TRAP, DOUBTFUL)), True, ["PDT100"]),
        (Further((), (call(),)), True, ["PDT067"]),
        (CONFIRMED, False, ["PDT100", "PDT067"]),
        (Further((DOUBTFUL,), (replace(call(DOUBTFUL), is_mild=True),)), True, ["PDT120"]),
    ],
)
def test_traps_and_calls_that_confirm_them(further: Further, is_ok: bool, codes: list[str]) -> None:
    assert with_further(PASSED, further).ok is is_ok
    found = {each.code: each for each in review_further(further)}
    assert list(found) == codes
    if "PDT100" in found:
        assert (found["PDT100"].message, found["PDT100"].place) == (TRAP.message, PLACE)
    if "PDT067" in found:
        assert found["PDT067"].place == call().place and found["PDT067"].message.endswith("(1, 2)")


def test_a_call_that_confirms_a_trap_fails_verification_at_its_place_in_the_files_as_changed() -> None:
    trial = with_further(PASSED, CONFIRMED)
    assert [verdict.ok for verdict in trial.verdicts] == [True, False] and trial.failure is not None
    assert trial.failure.message.endswith("(1, 2)") and "PDT100" in trial.failure.message
    before, edit = b"def f(x):\n    return len(x)\n", Edit(0, "import torch\n")
    change = FileChange("model.py", before, b"import torch\n" + before, (edit,))
    found = replace(call(TRAP), place=Place("model.py", 2, 12))
    trial = with_further(PASSED, Further((TRAP,), (found,)), [change])
    assert trial.failure is not None and trial.failure.place == Place("model.py", 3, 12)


def test_drawn_calls_take_a_part_of_the_budget_and_what_could_not_be_tried_is_no_failure() -> None:
    assert seconds_to_probe(OPTIONS) == OPTIONS.budget / 10
    assert seconds_to_probe(replace(OPTIONS, budget=1.0)) == 0.1
    assert seconds_to_probe(replace(OPTIONS, no_probe=True)) == 0
    trial = with_further(PASSED, Further(unseen=("traps: KeyError at find, line 3",)))
    assert trial.ok and trial.verdicts[-1].note == "not checked: traps: KeyError at find, line 3"
    for count, said in (1, "1 generated call not tested"), (7, "7 generated calls not tested"):
        (finding,) = review_further(Further(undrawn=count) | Further())
        assert finding.code == "PDT091" and said in finding.message


def test_work_beside_a_block_gives_its_result_or_its_error() -> None:
    with meanwhile(lambda: 3) as result:
        assert result() == 3
    with meanwhile(lambda: 1 // 0) as result, pytest.raises(ZeroDivisionError):
        result()


@pytest.mark.parametrize("name", ["json", "html", "stubs", "overlay", "save-profile", "output", "output-file"])
def test_what_cannot_be_written_is_reported_by_its_option(name: str, tmp_path: Path) -> None:
    def check(place: str) -> None:
        value = ((f"json:{place}",) if place else ()) if name == "output-file" else place
        given: dict[str, Any] = {"arg": ("3",), name.replace("-", "_"): value}
        check_outputs(make_options([Target("m:f", "m", "", "f")], str(tmp_path), **given))

    for value in ("", str(tmp_path / "new"), str(tmp_path / "deep" / "new"), *(["-"] if name == "json" else [])):
        check(value)
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").touch()
    with pytest.raises(UserError, match=f"--{name} cannot be written: Not a directory") as raised:
        check(str(tmp_path / "file" / "new"))
    assert raised.value.hint == f"{tmp_path / 'file'} is a file"


def reasons(found: tuple[Captures, ...], *require: str) -> dict[str, str]:
    return {each.way: each.reason for captures in with_required(found, require) for each in captures.required}


def test_what_is_required_is_judged_on_the_annotated_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = make_captures(tmp_path)
    assert reasons(found) == {}
    judged = with_required(found, ["script"])
    assert [len(each.required) for each in judged] == [0, 1]
    assert judged[1].required[0].met
    assert not with_required(found[:1], ["script"])[0].required[0].met
    assert reasons(found, "fx,trace", "lazy") == {
        "fx": f"not captured: model.py:4: {REFUSED}",
        "trace": "captured, but the result differs on call long: the result differs: Tensor-likes are not close!",
        "lazy": "absent: this torch has no lazy tensors",
    }
    apart = CallFate("other", Fate.NOT_COMPARED, message="it calls `encode`")
    captures = found[1].captures
    script = replace(captures[0], calls=(apart, *captures[0].calls))
    trace = replace(captures[1], calls=(apart, *calls(Fate.REFUSED, "no")))
    elsewhere = (replace(found[1], captures=(script, trace, *captures[2:])),)
    assert reasons(elsewhere, "script,trace") == {"script": "", "trace": "captured, but raises on call long: no"}


YES, NO = Trial((Verdict("scripts", True),)), Trial((Verdict("scripts", False),))


@pytest.fixture
def found(tmp_path: Path) -> FoundPlan:
    return make_found(tmp_path)


def own_change(rendered: Rendered) -> FileChange:
    return next(change for change in rendered.changes if change.file.endswith("model.py"))


@dataclass
class Answers:
    """A chooser that returns these values, and records the failures that it receives."""

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


def choose(
    found: FoundPlan, answers: Answers | None, judge: Callable[[Rendered], Trial] = lambda rendered: YES
) -> tuple[Rendered, Trial]:
    return choose_until_verified(found, judge, answers, lambda text: None)


def test_all_taken_is_as_if_nobody_had_been_asked(found: FoundPlan) -> None:
    whole = render(found.plan, found.evidence)
    assert choose(found, None, lambda rendered: NO) == (whole, NO)
    assert choose(found, Answers(found.shares)) == (whole, YES)
    answers = Answers(found.shares)
    assert choose(found, answers, lambda rendered: NO)[1] is NO
    assert not answers.failures, "there is no choice to go back on"
    assert choose(replace(found, plan=Plan()), Answers(None))[1] is YES
    for taken in ({}, dict.fromkeys(found.shares, ())):
        with pytest.raises(NothingTaken):
            choose(found, Answers(taken), lambda rendered: pytest.fail("judged"))


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


def test_what_does_not_verify_can_be_chosen_again_or_given_up(found: FoundPlan) -> None:
    scale = next(iter(found.shares))
    answers = Answers({scale: found.shares[scale]}, [found.shares])
    judged = choose(found, answers, lambda rendered: YES if rendered == found.rendered else NO)
    assert judged == (found.rendered, YES)
    assert answers.failures == [NO]
    rendered, trial = choose(found, Answers({scale: found.shares[scale]}, [None]), lambda rendered: NO)
    assert trial is NO
    assert b"factor: int" in own_change(rendered).after


def test_mends_are_asked_for_first_and_without_them_nothing_is_taken(found: FoundPlan) -> None:
    mended = add_mend(found)
    (change,) = mended.mending
    assert change.before == SOURCE
    assert change.after == SOURCE.replace(b"return x * factor", b"return factor * x * factor")
    assert list(found.mending) == []
    with pytest.raises(NothingTaken):
        choose(mended, Answers(None, takes_mends=False))
    assert choose(found, Answers(found.shares, takes_mends=False))[1] is YES, "there are none"
    rendered, trial = choose(mended, Answers({}))
    assert trial is YES
    assert [each for each in rendered.changes if each.file.endswith("model.py")] == []
