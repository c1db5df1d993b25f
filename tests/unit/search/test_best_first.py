"""The search by itself: plans are what a made-up compiler says of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import pytest

from pdt_annotate.search.best_first import CutOff, Search, Step
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.repair import Proposal
from pdt_annotate.values.budget import Budget
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure, Trial, Verdict

INT, FLOAT = TypeExpr("int"), TypeExpr("float")
OWNER = Owner("model.py", "f", 1)


def note(name: str, type_: TypeExpr = INT, kind: SlotKind = SlotKind.PARAMETER, line: int = 0) -> Annotation:
    return Annotation(Slot(OWNER, kind, name, line), type_)


def names(plan: Plan) -> str:
    """The annotated names of a plan, as a word."""
    return "".join(sorted(slot.name for slot in plan.annotations))


def plan_of(word: str) -> Plan:
    return Plan().with_(note(name) for name in word)


def passed(*, compiled: Sequence[Owner] = ()) -> Trial:
    return Trial((Verdict("scripts", True),), tuple(compiled))


def failed(message: str, line: int = 1, *, held: int = 0, compiled: Sequence[Owner] = ()) -> Trial:
    """A trial in which `held` judges say yes before the last one says no."""
    last = Verdict("scripts", False, Failure(message, "", Place("model.py", line)))
    return Trial((*[Verdict("scripts", True)] * held, last), tuple(compiled))


class Compiler:
    """Says of each plan what a table says of its names; remembers what it was asked."""

    def __init__(self, says: Mapping[str, Trial], otherwise: Trial | None = None) -> None:
        self.says = says
        self.otherwise = otherwise
        self.asked: list[str] = []

    def try_plan(self, plan: Plan) -> Trial:
        word = names(plan)
        self.asked.append(word)
        return self.says.get(word) or self.otherwise or failed(f"no to {word}", 1)


Propose = Callable[[Step], Iterator[Proposal]]


def nothing(step: Step) -> Iterator[Proposal]:
    return iter(())


@dataclass(frozen=True)
class Made:
    """A problem made up of functions."""

    try_plan: Callable[[Plan], Trial]
    propose: Propose = nothing
    grow: Callable[[Plan, Trial], Plan] = lambda plan, trial: plan


def proposer(offers: Mapping[str, str]) -> Propose:
    """Proposes, for a plan, the names of which the table has a word, one after the other."""
    return lambda step: (Proposal((note(name),)) for name in offers.get(names(step.plan), ""))


def search(compiler: Compiler, offers: Mapping[str, str]) -> Search:
    return Search(Made(compiler.try_plan, proposer(offers)), 80)


class TestRun:
    def test_a_plan_that_verifies_is_left_as_it_is(self) -> None:
        compiler = Compiler({"a": passed()})
        step = search(compiler, {"a": "bcd"}).run(plan_of("a"))
        assert (names(step.plan), compiler.asked) == ("a", ["a"])

    def test_without_proposals_the_first_failure_stands(self) -> None:
        compiler = Compiler({"": failed("no", 3)})
        step = search(compiler, {}).run(Plan())
        assert (step.plan, step.trial, compiler.asked) == (Plan(), failed("no", 3), [""])

    def test_the_first_proposal_that_verifies_ends_the_search(self) -> None:
        compiler = Compiler({"b": passed()})
        step = search(compiler, {"": "abc"}).run(Plan())
        assert names(step.plan) == "b"
        assert compiler.asked == ["", "a", "b"]

    def test_a_path_is_followed_to_its_end_before_another_is_begun(self) -> None:
        compiler = Compiler({"": failed("no", 1), "a": failed("further", 5), "ax": passed(), "b": passed()})
        step = search(compiler, {"": "ab", "a": "x"}).run(Plan())
        assert names(step.plan) == "ax"
        assert compiler.asked == ["", "a", "ax"]

    def test_another_is_begun_when_a_path_has_ended(self) -> None:
        compiler = Compiler({"": failed("no", 1), "a": failed("further", 5), "ax": failed("on", 7), "b": passed()})
        step = search(compiler, {"": "ab", "a": "x"}).run(Plan())
        assert names(step.plan) == "b"
        assert compiler.asked == ["", "a", "ax", "b"]

    def test_a_doubtful_path_waits_for_the_others(self) -> None:
        compiler = Compiler({"": failed("no", 1), "a": failed("further", 5), "ax": passed(), "b": passed()})
        proposals = {"": [Proposal((note("a"),), doubt=2), Proposal((note("b"),))], "a": [Proposal((note("x"),))]}
        doubtful = Search(Made(compiler.try_plan, lambda step: iter(proposals[names(step.plan)])))
        assert names(doubtful.run(Plan()).plan) == "b"

    def test_a_failure_that_was_met_before_is_no_step(self) -> None:
        same = failed("the same", 9)
        compiler = Compiler({"": failed("no", 1), "a": same, "b": same})
        search(compiler, {"": "ab", "a": "x", "b": "y"}).run(Plan())
        assert "by" not in compiler.asked
        assert "ax" in compiler.asked

    def test_two_searches_go_the_same_way(self) -> None:
        says = {"": failed("no", 1), "a": failed("one", 5), "b": failed("two", 5)}
        offers = {"": "ab", "a": "xy", "b": "yx"}
        one, two = Compiler(says), Compiler(says)
        search(one, offers).run(Plan())
        search(two, offers).run(Plan())
        assert one.asked == two.asked

    def test_what_came_furthest_is_the_answer_where_nothing_verifies(self) -> None:
        says = {"": failed("does not compile", 9), "a": failed("differs", 0, held=2), "b": failed("no", 4)}
        step = search(Compiler(says), {"": "ab", "a": "x"}).run(Plan())
        assert names(step.plan) == "a"

    @pytest.mark.parametrize("limit", [1, 2, 5])
    def test_no_more_trials_than_the_limit(self, limit: int) -> None:
        compiler = Compiler({})
        always = Made(compiler.try_plan, lambda step: iter([Proposal((note(f"{len(compiler.asked)}."),))]))
        endless = Search(always, limit)
        assert not endless.run(Plan()).trial.ok
        assert len(compiler.asked) == limit == endless.tried

    def test_a_later_choice_for_a_slot_replaces_the_earlier(self) -> None:
        tried: list[TypeExpr] = []

        def try_plan(plan: Plan) -> Trial:
            found = plan.get(note("a").slot)
            tried.extend([found.type] if found else [])
            return passed() if found and found.type == FLOAT else failed("no")

        found = Search(Made(try_plan, lambda step: iter([Proposal((note("a", FLOAT),))])))
        step = found.run(plan_of("a"))
        assert tried == [INT, FLOAT]
        assert names(step.plan) == "a"


class TestBudget:
    def test_what_verifies_at_once_needs_no_time(self) -> None:
        step = Search(Made(Compiler({"": passed()}).try_plan), budget=Budget(0)).run(Plan())
        assert step.trial.ok and step.cut_off is None

    def test_a_search_that_came_to_its_end_was_not_cut_off(self) -> None:
        assert Search(Made(Compiler({}).try_plan), budget=Budget(0)).run(Plan()).cut_off is None

    def test_no_trial_begins_when_it_is_spent_and_the_next_is_told(self) -> None:
        budget = Budget(0.05)
        compiler = Compiler({"": failed("no", 1), "a": failed("further", 5, held=1), "b": failed("not as far", 4)})

        def try_plan(plan: Plan) -> Trial:
            while plan.annotations and not budget.is_spent:
                time.sleep(0.01)
            return compiler.try_plan(plan)

        step = Search(Made(try_plan, proposer({"": "ab", "a": "x"})), budget=budget).run(Plan())
        assert compiler.asked == ["", "a"]
        assert names(step.plan) == "a"
        assert step.cut_off == CutOff(Proposal((note("x"),)))

    def test_growth_ends_as_well(self) -> None:
        compiler = Compiler({})
        growing = Made(compiler.try_plan, grow=lambda plan, trial: plan.with_([note(f"{len(compiler.asked)}.")]))
        Search(growing, budget=Budget(0)).run(Plan())
        assert len(compiler.asked) == 1


class TestGrow:
    def test_what_a_trial_reached_is_added_before_repair_is_asked(self) -> None:
        helper = Owner("helper.py", "g", 1)
        compiler = Compiler({"": failed("in the helper", 1, compiled=[helper]), "h": passed()})

        def grow(plan: Plan, trial: Trial) -> Plan:
            return plan.with_([note("h")]) if helper in trial.compiled else plan

        step = Search(Made(compiler.try_plan, proposer({"": "x"}), grow)).run(Plan())
        assert names(step.plan) == "h"
        assert compiler.asked == ["", "h"]

    def test_growth_counts_as_trials(self) -> None:
        compiler = Compiler({})
        growing = Made(compiler.try_plan, grow=lambda plan, trial: plan.with_([note(f"{len(compiler.asked)}.")]))
        Search(growing, 4).run(Plan())
        assert len(compiler.asked) == 4


class TestProgress:
    @pytest.mark.parametrize(
        ("worse", "better"),
        [
            (failed("no", 9), failed("runs, and a call differs", 0, held=1)),
            (failed("a", 9, held=1), failed("b", 1, held=2)),
        ],
        ids=["compiled at all", "more verdicts"],
    )
    def test_how_far_a_step_came(self, worse: Trial, better: Trial) -> None:
        assert Step(Plan(), worse).progress < Step(Plan(), better).progress
