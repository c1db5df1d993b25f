"""Which calls one exported program serves, without torch."""

from __future__ import annotations

from dataclasses import replace

from seen_calls import call, calls_of, exportable, of, plan_of, tensor

from pdt_annotate.captures.exporting.choose import arrange, make_plan
from pdt_annotate.captures.exporting.findings import findings_of
from pdt_annotate.captures.exporting.plan import ExportPlan
from pdt_annotate.captures.exporting.sizes import Size, Wishes
from pdt_annotate.values.exports import Arrangement, ConstantSeen, NamedParameter, NestSeen, NumberSeen

NONE = ConstantSeen("None")
X0, Y0 = ((("x",), 0), (("y",), 0))


def served(plan: ExportPlan) -> list[int]:
    return [call.number for call in plan.served]


def left(plan: ExportPlan) -> dict[int, str]:
    return {call.number: why for call, why in plan.left}


def test_one_call_varies_nothing() -> None:
    plan = plan_of(calls_of({"x": tensor(2, 3), "n": NumberSeen(3)}))
    assert (plan.named, plan.ranges, plan.numbers, plan.left) == ({}, {}, {}, ())
    assert served(plan) == [0]


def test_sizes_and_ints_that_vary() -> None:
    plan = plan_of(calls_of({"x": tensor(2, 3), "n": NumberSeen(3)}, {"x": tensor(5, 3), "n": NumberSeen(2)}))
    assert plan.ranges == {"batch": (2, 5)}
    assert plan.numbers == {("n",): (2, 3)}


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
    plan = plan_of(calls_of({"x": tensor(1, 4), "n": NumberSeen(2)}, {"x": tensor(3, 1), "n": NumberSeen(0)}))
    assert plan.instead == {(("x",), 0): 3, (("x",), 1): 4, ("n",): 2}


def test_other_calls_with_the_same_tensors_show_how_sizes_vary() -> None:
    flags = (ConstantSeen('"max"'), ConstantSeen('"avg"'), ConstantSeen('"sum"'))
    plan = plan_of(calls_of(*(of(x=tensor(size, 3), k=flag) for size, flag in zip((2, 5, 3), flags, strict=True))))
    assert served(plan) == [0]
    assert plan.ranges == {"batch": (2, 5)}
    assert [each.number for each in plan.witnesses] == [1, 2]
    assert plan.ends == ({(("x",), 0): 2}, {(("x",), 0): 5})


def test_calls_without_one_of_the_tensors_show_nothing() -> None:
    plan = plan_of(calls_of(of(x=tensor(2), y=tensor(2)), of(x=tensor(3), y=NONE), of(x=tensor(2), y=tensor(2))))
    assert (plan.ranges, plan.witnesses, plan.ends) == ({}, (), ())


def test_calls_that_are_served_need_no_others_for_what_they_show() -> None:
    plan = plan_of(calls_of(of(x=tensor(2), k=NONE), of(x=tensor(4), k=NONE), of(x=tensor(3), k=NumberSeen(3))))
    assert plan.ranges == {"batch": (2, 4)}
    assert plan.witnesses == ()


def test_alone_only_what_is_served_shows_sizes() -> None:
    calls = calls_of(of(x=tensor(2), k=NONE), of(x=tensor(4), k=NumberSeen(3)))
    assert plan_of(calls, wishes=Wishes(alone=True)).ranges == {}


def test_an_int_that_torch_makes_a_constant_divides_the_calls() -> None:
    calls = calls_of(*(of(x=tensor(size), n=NumberSeen(n)) for size, n in ((2, 3), (3, 4), (4, 4))))
    plan = plan_of(calls, wishes=Wishes(frozenset({("n",)})))
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


def test_a_torch_that_leaves_no_int_free_serves_the_calls_with_one_and_says_so() -> None:
    calls = calls_of(*(of(x=tensor(size, 3), n=NumberSeen(n)) for size, n in ((2, 3), (5, 2), (7, 3))))
    older = replace(exportable(calls), torch="2.6.0+cu124")
    plan = make_plan(older)
    assert plan is not None
    assert (plan.numbers, plan.ranges, served(plan)) == ({}, {"batch": (2, 7)}, [0, 2])
    assert [(each.code, each.message) for each in findings_of([], plan, older)] == [
        (
            "PDT097",
            "`n` was 2, 3 in the calls, and is 3 here: torch.export takes every int for a constant before torch 2.8",
        ),
        ("PDT096", "`call 2`: `n` is 2, not 3"),
    ]
