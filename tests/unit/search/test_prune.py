"""Dropping annotations: plans are what a made-up compiler says of them."""

from __future__ import annotations

from collections.abc import Callable

from pdt_annotate.search.best_first import CutOff, Step
from pdt_annotate.search.plan import Plan
from pdt_annotate.search.prune import prune
from pdt_annotate.values.budget import Budget
from pdt_annotate.values.slots import Annotation, Owner, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Failure, Trial, Verdict

OWNER = Owner("model.py", "f", 1)


def note(name: str, kind: SlotKind = SlotKind.PARAMETER, line: int = 0) -> Annotation:
    return Annotation(Slot(OWNER, kind, name, line), TypeExpr("int"))


def passed() -> Trial:
    return Trial((Verdict("scripts", True),))


def failed(message: str) -> Trial:
    return Trial((Verdict("scripts", False, Failure(message)),))


class TestPrune:
    """Annotations that are no parameters, some needed and some not."""

    needed = note("needed", kind=SlotKind.LOCAL, line=3)
    idle = note("idle", kind=SlotKind.LOCAL, line=4)
    result = note("return", kind=SlotKind.RETURN)
    member = note("member", kind=SlotKind.ATTRIBUTE)
    plan = Plan().with_([note("x"), needed, idle, result, member])

    def prune(self, try_plan: Callable[[Plan], Trial], trial: Trial) -> Plan:
        return prune(Step(self.plan, trial), try_plan).plan

    def test_parameters_and_what_is_needed_stay(self) -> None:
        pruned = self.prune(lambda plan: passed() if plan.get(self.needed.slot) else failed("no"), passed())
        assert set(pruned.annotations) == {note("x").slot, self.needed.slot}

    def test_all_stay_where_all_are_needed(self) -> None:
        full = len(self.plan.annotations)
        pruned = self.prune(lambda plan: passed() if len(plan.annotations) == full else failed("no"), passed())
        assert pruned == self.plan

    def test_only_one_of_two_that_stand_in_for_each_other_is_dropped(self) -> None:
        def either(plan: Plan) -> Trial:
            return passed() if plan.get(self.needed.slot) or plan.get(self.idle.slot) else failed("no")

        pruned = self.prune(either, passed())
        assert len({self.needed.slot, self.idle.slot} & set(pruned.annotations)) == 1

    def test_what_there_is_no_time_for_stays(self) -> None:
        step = prune(Step(self.plan, passed()), lambda plan: passed(), budget=Budget(0))
        assert (step.plan, step.cut_off) == (self.plan, CutOff())

    def test_where_nothing_may_go_no_time_is_missed(self) -> None:
        step = Step(Plan().with_([note("x")]), passed())
        assert prune(step, lambda plan: passed(), budget=Budget(0)) == step

    def test_the_same_reservations_are_as_good(self) -> None:
        reserved = Failure("a list came back as a tuple", code="PDT065")
        accepted = Trial((Verdict("answers", True, reserved),))
        tried = Trial((Verdict("answers", False, reserved),))
        worse = Trial((Verdict("answers", False, Failure("other values")),))
        assert set(self.prune(lambda plan: tried, accepted).annotations) == {note("x").slot}
        assert self.prune(lambda plan: worse, accepted) == self.plan

    def test_what_is_known_to_fail_is_not_tried(self) -> None:
        tried: list[Plan] = []

        def try_plan(plan: Plan) -> Trial:
            tried.append(plan)
            return passed()

        step = prune(Step(self.plan, passed()), try_plan, lambda plan, slot: slot == self.needed.slot)
        assert set(step.plan.annotations) == {note("x").slot, self.needed.slot}
        assert all(plan.get(self.needed.slot) for plan in tried)
