"""The search alone, dropping annotations, and known trials. A fake compiler returns the trial of each plan."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pdt_annotate.choose.evidence import Evidence
from pdt_annotate.search.best_first import CutOff, Search, Step
from pdt_annotate.search.plan import KnownTrials, Plan
from pdt_annotate.search.problems import prune
from pdt_annotate.search.repair import Proposal
from pdt_annotate.source.project import Project
from pdt_annotate.values.budget import Budget
from pdt_annotate.values.slots import Annotation, Owner, Place, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure, Trial, Verdict

INT, FLOAT = TypeExpr("int"), TypeExpr("float")
OWNER = Owner("model.py", "f", 1)
PASSED = Trial((Verdict("scripts", True),))


def note(name: str, type_: TypeExpr = INT, kind: SlotKind = SlotKind.PARAMETER, line: int = 0) -> Annotation:
    return Annotation(Slot(OWNER, kind, name, line), type_)


def names(plan: Plan) -> str:
    """The annotated names of a plan, joined to one word."""
    return "".join(sorted(slot.name for slot in plan.annotations))


def plan_of(word: str) -> Plan:
    return Plan().with_(note(name) for name in word)


def failed(message: str, line: int = 1, *, held: int = 0, compiled: Sequence[Owner] = (), column: int = 0) -> Trial:
    """A trial in which `held` verdicts are yes before the last one is no."""
    last = Verdict("scripts", False, Failure(message, "", Place("model.py", line, column)))
    return Trial((*[Verdict("scripts", True)] * held, last), tuple(compiled))


class Compiler:
    """Returns the trial that a table has for the names of a plan, and records the calls."""

    def __init__(self, says: Mapping[str, Trial]) -> None:
        self.says = says
        self.asked: list[str] = []

    def try_plan(self, plan: Plan) -> Trial:
        word = names(plan)
        self.asked.append(word)
        return self.says.get(word) or failed(f"no to {word}", 1)


Propose = Callable[[Step], Iterator[Proposal]]


@dataclass(frozen=True)
class Made:
    """A fake problem that consists of functions."""

    try_plan: Callable[[Plan], Trial]
    propose: Propose = lambda step: iter(())
    grow: Callable[[Plan, Trial], Plan] = lambda plan, trial: plan


def proposer(offers: Mapping[str, str]) -> Propose:
    """Proposes, for a plan, the letters of the word that the table has for its names, in order."""
    return lambda step: (Proposal((note(name),)) for name in offers.get(names(step.plan), ""))


NO, FURTHER = failed("no", 1), failed("further", 5)
FOUND = {"": NO, "a": FURTHER, "ax": PASSED, "b": PASSED}
ENDED, AGAIN = FOUND | {"ax": failed("on", 7)}, {"": NO, "a": FURTHER, "b": FURTHER}
JOINED = {"": NO, "a": FURTHER, "ax": failed("on", 7), "x": failed("off", 2)}
ONE_LINE = {"": NO, "a": failed("no", 1, column=9), "ab": FURTHER}
WORST_LAST = {"": failed("does not compile", 9), "a": failed("differs", 0, held=2), "b": failed("no", 4)}


# (the trials by plan, the proposals by plan, the first plan, the last plan, all plans that are tried)
Way = tuple[Mapping[str, Trial], Mapping[str, str], str, str, str]
WAYS: Mapping[str, Way] = {
    "a plan that verifies is left as it is": ({"a": PASSED}, {"a": "bcd"}, "a", "a", "a"),
    "without proposals": ({"": NO}, {}, "", "", ""),
    "the first that verifies ends it": ({"b": PASSED}, {"": "abc"}, "", "b", " a b"),
    "a path is followed to its end": (FOUND, {"": "ab", "a": "x"}, "", "ax", " a ax"),
    "another is begun when a path has ended": (ENDED, {"": "ab", "a": "x"}, "", "b", " a ax b"),
    "a failure that was met before is no step": (AGAIN, {"": "ab", "a": "x", "b": "y"}, "", "ax", " a ax b"),
    "what came furthest is the answer where nothing verifies": (WORST_LAST, {"": "ab", "a": "x"}, "", "a", " a ax b"),
    "a plan to which two paths lead is tried once": (JOINED, {"": "ax", "a": "x", "x": "a"}, "", "ax", " a ax x"),
    "two failing places of one line are both passed": (ONE_LINE, {"": "a", "a": "b"}, "", "ab", " a ab"),
}


class TestRun:
    @pytest.mark.parametrize("way", WAYS)
    def test_the_way_of_a_search(self, way: str) -> None:
        says, offers, began, ended, asked = WAYS[way]
        compiler = Compiler(says)
        step = Search(Made(compiler.try_plan, proposer(offers)), Budget(steps=80)).run(plan_of(began))
        assert (names(step.plan), compiler.asked) == (ended, asked.split(" "))
        assert step.trial == (says.get(ended) or failed(f"no to {ended}", 1))

    def test_a_doubtful_path_waits_for_the_others(self) -> None:
        proposals = {"": [Proposal((note("a"),), doubt=2), Proposal((note("b"),))], "a": [Proposal((note("x"),))]}
        doubtful = Search(Made(Compiler(FOUND).try_plan, lambda step: iter(proposals[names(step.plan)])))
        assert names(doubtful.run(Plan()).plan) == "b"

    @pytest.mark.parametrize("limit", [1, 2, 5])
    def test_no_more_trials_than_the_limit(self, limit: int) -> None:
        compiler = Compiler({})
        always = Made(compiler.try_plan, lambda step: iter([Proposal((note(f"{len(compiler.asked)}."),))]))
        endless = Search(always, Budget(steps=limit))
        assert not endless.run(Plan()).trial.ok
        assert len(compiler.asked) == limit == endless.tried

    @pytest.mark.parametrize(("patience", "asked"), [(1, " a b c"), (2, " a b c d"), (3, " a b c d e")])
    def test_it_ends_when_so_many_trials_came_no_further(self, patience: int, asked: str) -> None:
        compiler = Compiler({"": NO, "b": failed("on", 5, compiled=[OWNER])})
        flat = Made(compiler.try_plan, proposer({"": "abcdefg"}))
        Search(flat, patience=patience).run(Plan())
        assert " ".join(compiler.asked) == asked

    def test_a_later_choice_for_a_slot_replaces_the_earlier(self) -> None:
        tried: list[TypeExpr] = []

        def try_plan(plan: Plan) -> Trial:
            found = plan.get(note("a").slot)
            tried.extend([found.type] if found else [])
            return PASSED if found and found.type == FLOAT else NO

        step = Search(Made(try_plan, lambda step: iter([Proposal((note("a", FLOAT),))]))).run(plan_of("a"))
        assert tried == [INT, FLOAT]
        assert names(step.plan) == "a"


class TestBudget:
    def test_what_verifies_at_once_or_came_to_its_end_needs_no_time(self) -> None:
        step = Search(Made(Compiler({"": PASSED}).try_plan), budget=Budget(0)).run(Plan())
        assert step.trial.ok and step.cut_off is None
        assert Search(Made(Compiler({}).try_plan), budget=Budget(0)).run(Plan()).cut_off is None

    def test_no_trial_begins_when_it_is_spent_and_the_next_is_told(self) -> None:
        budget = Budget(0.05)
        compiler = Compiler({"": NO, "a": failed("further", 5, held=1), "b": failed("not as far", 4)})

        def try_plan(plan: Plan) -> Trial:
            while plan.annotations and not budget.is_spent:
                time.sleep(0.01)
            return compiler.try_plan(plan)

        step = Search(Made(try_plan, proposer({"": "ab", "a": "x"})), budget=budget).run(Plan())
        assert compiler.asked == ["", "a"]
        assert names(step.plan) == "a"
        assert step.cut_off == CutOff(Proposal((note("x"),)))


class TestGrow:
    def test_what_a_trial_reached_is_added_before_repair_is_asked(self) -> None:
        helper = Owner("helper.py", "g", 1)
        compiler = Compiler({"": failed("in the helper", 1, compiled=[helper]), "h": PASSED})

        def grow(plan: Plan, trial: Trial) -> Plan:
            return plan.with_([note("h")]) if helper in trial.compiled else plan

        assert names(Search(Made(compiler.try_plan, proposer({"": "x"}), grow)).run(Plan()).plan) == "h"
        assert compiler.asked == ["", "h"]

    def test_growth_counts_as_trials_and_needs_time(self) -> None:
        compiler = Compiler({})
        growing = Made(compiler.try_plan, grow=lambda plan, trial: plan.with_([note(f"{len(compiler.asked)}.")]))
        Search(growing, Budget(steps=4)).run(Plan())
        assert len(compiler.asked) == 4
        Search(growing, budget=Budget(0)).run(Plan())
        assert len(compiler.asked) == 5


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        (failed("no", 9), failed("differs", 0, held=1)),
        (failed("a", 9, held=1), failed("b", 1, held=2)),
        (failed("a", 9), failed("b", 1, compiled=[Owner("net.py", "f", 1)])),
    ],
    ids=["compiled at all", "more verdicts", "more functions read"],
)
def test_how_far_a_step_came(worse: Trial, better: Trial) -> None:
    # After a wrong annotation, there may be more failing places.
    passed = (Step(Plan(), failed("c", 1)), Step(Plan(), failed("d", 2)))
    assert Step(Plan(), worse, passed).progress < Step(Plan(), better).progress


class TestPrune:
    """Annotations other than parameters, some of them unneeded."""

    needed = note("needed", kind=SlotKind.LOCAL, line=3)
    idle = note("idle", kind=SlotKind.LOCAL, line=4)
    plan = Plan().with_(
        [note("x"), needed, idle, note("return", kind=SlotKind.RETURN), note("member", kind=SlotKind.ATTRIBUTE)]
    )

    def prune(self, try_plan: Callable[[Plan], Trial], trial: Trial = PASSED) -> Plan:
        return prune(Step(self.plan, trial), try_plan).plan

    def test_what_is_needed_stays_and_one_of_two_that_stand_in_for_each_other(self) -> None:
        pruned = self.prune(lambda plan: PASSED if plan.get(self.needed.slot) else NO)
        assert set(pruned.annotations) == {note("x").slot, self.needed.slot}
        full = len(self.plan.annotations)
        assert self.prune(lambda plan: PASSED if len(plan.annotations) == full else NO) == self.plan
        either = {self.needed.slot, self.idle.slot}
        pruned = self.prune(lambda plan: PASSED if either & set(plan.annotations) else NO)
        assert len(either & set(pruned.annotations)) == 1

    def test_what_there_is_no_time_for_stays_and_is_missed_where_anything_may_go(self) -> None:
        step = prune(Step(self.plan, PASSED), lambda plan: PASSED, budget=Budget(0))
        assert (step.plan, step.cut_off) == (self.plan, CutOff())
        step = Step(plan_of("x"), PASSED)
        assert prune(step, lambda plan: PASSED, budget=Budget(0)) == step

    def test_the_same_reservations_are_as_good(self) -> None:
        reserved = Failure("a list came back as a tuple", code="PDT065")
        accepted = Trial((Verdict("answers", True, reserved),))
        tried = Trial((Verdict("answers", False, reserved),))
        worse = Trial((Verdict("answers", False, Failure("other values")),))
        assert set(self.prune(lambda plan: tried, accepted).annotations) == {note("x").slot}
        assert self.prune(lambda plan: worse, accepted) == self.plan

    def test_what_is_known_to_fail_is_not_tried(self) -> None:
        tried: list[Plan] = []
        step = prune(
            Step(self.plan, PASSED),
            lambda plan: tried.append(plan) or PASSED,
            lambda plan, slot: slot == self.needed.slot,
        )
        assert set(step.plan.annotations) == {note("x").slot, self.needed.slot}
        assert all(plan.get(self.needed.slot) for plan in tried)


KNOWN = "\ndef read(x):\n    a = []\n    b = []\n    return a, b\n\n\ndef unread(x):\n    return x\n"


class TestKnownTrials:
    """A trial is known only if the compiler read no code that differs."""

    @pytest.fixture
    def file(self, tmp_path: Path) -> str:
        (tmp_path / "m.py").write_text(KNOWN)
        return str(tmp_path / "m.py")

    @pytest.fixture
    def trials(self, file: str) -> KnownTrials:
        return KnownTrials(Evidence(Project(str(Path(file).parent), {"m": file}), ()))

    @pytest.fixture
    def plan(self, file: str) -> Plan:
        """One parameter of `read` is annotated."""
        return Plan().with_([self.note(file, "read", "x")])

    def note(
        self, file: str, function: str, name: str, kind: SlotKind = SlotKind.PARAMETER, line: int = 0
    ) -> Annotation:
        owner = Owner(file, function, {"read": 2, "unread": 8}.get(function, 0))
        return Annotation(Slot(owner, kind, name, line), INT)

    def failed_at(self, file: str, line: int) -> Trial:
        verdict = Verdict("scripts", False, Failure("no", "RuntimeError", Place(file, line)))
        return Trial((verdict,), compiled=(Owner(file, "read", 2),))

    def test_another_subject_and_what_differs_are_not_known(self, file: str, trials: KnownTrials, plan: Plan) -> None:
        trials.note("whole", plan, self.failed_at(file, 4))
        assert trials.find("part", plan) is None
        trials.forget()
        assert trials.find("whole", plan) is None
        trials.note("whole", plan, self.failed_at(file, 4))
        earlier = self.note(file, "read", "a", SlotKind.LOCAL, 3)
        attribute = self.note(file, "Net", "x", SlotKind.ATTRIBUTE)
        others = [Plan(), plan.with_([earlier]), plan.with_([attribute])]
        assert [trials.find("whole", other) for other in others] == [None, None, None]

    def test_what_was_not_read_makes_no_difference(self, file: str, trials: KnownTrials, plan: Plan) -> None:
        trial = self.failed_at(file, 3)
        trials.note("whole", plan, trial)
        later = self.note(file, "read", "b", SlotKind.LOCAL, 4)
        for same in (plan, plan.with_([later]), plan.with_([self.note(file, "unread", "x")])):
            assert trials.find("whole", same) is trial

    def test_what_holds_has_read_every_local(self, file: str, trials: KnownTrials, plan: Plan) -> None:
        held = Trial((Verdict("scripts", True),), compiled=(Owner(file, "read", 2),))
        trials.note("whole", plan, held)
        assert trials.find("whole", plan.with_([self.note(file, "unread", "x")])) is held
        assert trials.find("whole", plan.with_([self.note(file, "read", "b", SlotKind.LOCAL, 4)])) is None
