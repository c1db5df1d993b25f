"""Which calls one exported program serves, without torch."""

from __future__ import annotations

from dataclasses import replace

import pytest
from seen_calls import call, calls_of, exportable, of, plan_of, tensor

from pdt_annotate.captures.exporting.plan import (
    ExportPlan,
    Size,
    Wishes,
    arrange,
    make_plan,
    name_groups,
    roots_in,
    vary_together,
)
from pdt_annotate.values.exports import Arrangement, ConstantSeen, NamedParameter, NestSeen

NONE = ConstantSeen("None")
X0, X1, Y0, Y1 = ((("x",), 0), (("x",), 1), (("y",), 0), (("y",), 1))


def served(plan: ExportPlan) -> list[int]:
    return [call.number for call in plan.served]


def left(plan: ExportPlan) -> dict[int, str]:
    return {call.number: why for call, why in plan.left}


def test_one_call_varies_nothing() -> None:
    plan = plan_of(calls_of({"x": tensor(2, 3), "n": ConstantSeen("3")}))
    assert (plan.named, plan.ranges, plan.left) == ({}, {}, ())
    assert served(plan) == [0]


def test_sizes_that_vary() -> None:
    assert plan_of(calls_of({"x": tensor(2, 3)}, {"x": tensor(5, 3)})).ranges == {"batch": (2, 5)}


def test_no_call_to_export_from() -> None:
    held_back = call(0, x=tensor(2), held_back=True)
    raising = replace(call(1, x=tensor(2)), apart="it is meant to raise")
    assert make_plan(exportable([held_back, raising])) is None


def test_the_largest_group_is_served_and_the_others_are_told_why_not() -> None:
    x = tensor(2, 3)
    plan = plan_of(
        calls_of(
            {"x": x, "mask": NONE},
            {"x": x, "mask": tensor(2, dtype="bool")},
            {"x": tensor(4, 3), "mask": tensor(4, dtype="bool")},
            {"x": tensor(2, 3, 1), "mask": tensor(2, dtype="bool")},
            {"x": tensor(2, 3, dtype="int64"), "mask": tensor(2, dtype="bool")},
        )
    )
    assert served(plan) == [1, 2]
    assert left(plan) == {
        0: "`mask` is None, not a 1-d torch.bool tensor",
        3: "`x` is a 3-d torch.float32 tensor, not a 2-d torch.float32 tensor",
        4: "`x` is a 2-d torch.int64 tensor, not a 2-d torch.float32 tensor",
    }


def test_what_is_left_out_is_its_default() -> None:
    parameters = (NamedParameter("x"), NamedParameter("mask", default=NONE))
    plan = plan_of(calls_of({"x": tensor(2)}, {"x": tensor(3), "mask": NONE}), *parameters)
    assert served(plan) == [0, 1]
    assert plan.arrangement == Arrangement(("x", "mask"))
    assert plan.example.arguments["mask"] == NONE


def test_what_no_served_call_passes_is_not_passed() -> None:
    parameters = (NamedParameter("x"), NamedParameter("mode", default=ConstantSeen('"max"')))
    other = of(x=tensor(2), mode=ConstantSeen('"avg"'))
    assert plan_of(calls_of({"x": tensor(2)}, {"x": tensor(3)}, other), *parameters).arrangement == Arrangement(("x",))


def test_held_back_calls_give_no_size_and_are_served_where_they_fit() -> None:
    shown = calls_of({"x": tensor(2)}, {"x": tensor(8)})
    plan = plan_of([*shown, call(2, x=tensor(5), held_back=True), call(3, x=tensor(9), held_back=True)])
    assert served(plan) == [0, 1, 2]
    assert left(plan) == {3: "`batch` is 9, outside 2 to 8"}


def test_of_groups_of_one_size_the_one_with_more_held_back_calls_is_served() -> None:
    shown = calls_of({"x": tensor(2), "k": NONE}, {"x": tensor(2), "k": ConstantSeen("1.0")})
    assert served(plan_of([*shown, call(2, x=tensor(2), k=ConstantSeen("1.0"), held_back=True)])) == [1, 2]


def test_a_list_of_another_length_is_another_program() -> None:
    lists = [NestSeen("list", tuple(range(n)), (tensor(2),) * n) for n in (2, 2, 3)]
    plan = plan_of(calls_of(*({"xs": each} for each in lists)))
    assert left(plan) == {2: "`xs` is a list of 3, not a list of 2"}


def test_the_example_has_no_size_that_torch_takes_for_a_constant() -> None:
    plan = plan_of(calls_of({"x": tensor(1, 4)}, {"x": tensor(3, 4)}, {"x": tensor(1, 4)}))
    assert plan.example.number == 1
    assert plan.instead == {}


def test_without_such_a_call_the_greatest_sizes_stand_in() -> None:
    plan = plan_of(calls_of({"x": tensor(1, 4)}, {"x": tensor(3, 1)}))
    assert plan.instead == {X0: 3, X1: 4}


def test_an_int_divides_the_calls() -> None:
    plan = plan_of(calls_of(*(of(x=tensor(size), n=ConstantSeen(n)) for size, n in ((2, "3"), (3, "4"), (4, "4")))))
    assert served(plan) == [1, 2]
    assert left(plan) == {0: "`n` is 3, not 4"}


def test_a_relation_that_torch_asks_for() -> None:
    sizes = ((6, 5), (9, 8), (4, 4))
    calls = calls_of(*({"x": tensor(x), "y": tensor(y)} for x, y in sizes))
    plan = plan_of(calls, wishes=Wishes(sizes={"x_0": Size("y_0", 1, 1)}))
    assert plan.ranges == {"y_0": (5, 8)}
    assert left(plan) == {2: "its sizes are not as torch.export asks for"}


def test_what_varies_no_more_after_a_relation_is_a_constant() -> None:
    calls = calls_of(*({"x": tensor(x, 7), "y": tensor(y)} for x, y in ((6, 5), (6, 5), (4, 4))))
    plan = plan_of(calls, wishes=Wishes(sizes={"x_0": Size("y_0", 1, 1)}))
    assert plan.named == {}
    assert left(plan) == {2: "size 0 of `x` is 4, not 6"}


def test_what_is_ever_passed_by_position_is() -> None:
    x, k = tensor(2), NONE
    parameters = [NamedParameter("x"), NamedParameter("k"), NamedParameter("only", positional=False)]
    calls = [call(0, ["x", "k"], x=x, k=k, only=k), call(1, ["x"], x=x, k=k, only=k)]
    assert arrange(parameters, calls) == Arrangement(("x", "k"), ("only",))
    assert arrange(parameters, calls[1:]) == Arrangement(("x",), ("k", "only"))


def test_what_stands_before_the_rest_goes_by_position() -> None:
    parameters = [NamedParameter("x"), NamedParameter("rest_0", keyword=False, variadic=True)]
    assert arrange(parameters, [call(0, ["rest_0"], x=NONE, rest_0=NONE)]) == Arrangement(("x", "rest_0"))


def test_what_did_not_vary_is_no_group() -> None:
    assert vary_together({X0: [2, 2], X1: [3, 3]}, ()) == []
    assert vary_together({X0: [2]}, ()) == []


def test_what_is_fixed_is_no_group() -> None:
    assert vary_together({X0: [2, 4], X1: [3, 5]}, {X0}) == [(X1,)]


def test_what_varied_together_is_one_group() -> None:
    assert vary_together({X0: [2, 4], X1: [3, 5], Y0: [2, 4], Y1: [3, 4]}, ()) == [(X0, Y0), (X1,), (Y1,)]


def test_the_first_size_of_all_tensors_is_the_batch() -> None:
    assert name_groups([(X0, Y0), (X1,)], [X0, X1, Y0, Y1]) == {"batch": (X0, Y0), "x_1": (X1,)}
    assert name_groups([(X0,), (X1,)], [X0, X1, Y0, Y1]) == {"x_0": (X0,), "x_1": (X1,)}


def test_a_name_that_the_file_has_is_not_taken() -> None:
    assert list(name_groups([(X0,), (X1,)], [X0, X1], {"batch", "x_1"})) == ["batch_", "x_1_"]


@pytest.mark.parametrize(
    ("size", "text", "of_five"),
    [
        (Size("s"), "s", 5),
        (Size("s", 2), "2 * s", 10),
        (Size("s", 1, -1), "s - 1", 4),
        (Size("s", 3, 1), "3 * s + 1", 16),
    ],
)
def test_a_size_in_terms_of_another(size: Size, text: str, of_five: int) -> None:
    assert str(size) == text
    assert size.solve(of_five) == 5


def test_a_size_that_no_root_gives() -> None:
    assert Size("s", 2).solve(5) is None


def test_wishes_lead_from_name_to_name() -> None:
    wishes = Wishes(sizes={"a": Size("b", 2), "b": Size("c", 1, 3)})
    assert wishes.resolve("a") == Size("c", 2, 6)
    assert wishes.resolve("other") == Size("other")


def test_wishes_in_a_circle_end() -> None:
    assert Wishes(sizes={"a": Size("b"), "b": Size("a")}).resolve("a").root in ("a", "b")


def test_roots_in_a_call() -> None:
    named = {"x_0": (X0,), "y_0": (Y0, Y1)}
    wishes = Wishes(sizes={"x_0": Size("y_0", 1, 1)}, ranges={"y_0": (2, 6)})
    assert roots_in(named, {X0: 5, Y0: 4, Y1: 4}, wishes) == {"y_0": 4}
    assert roots_in(named, {X0: 5, Y0: 5, Y1: 5}, wishes) is None
    assert roots_in(named, {X0: 9, Y0: 8, Y1: 8}, wishes) is None
    assert roots_in(named, {X0: 5, Y0: 4, Y1: 3}, wishes) is None
