"""Export plans from calls, without torch: the accepted calls, the fixes that torch suggests, and the written file."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from seen_calls import BUILDING, call, calls_of, exportable, of, plan_of, tensor

from pdt_annotate.captures.exporting.export_plan import (
    ExportPlan,
    Size,
    Wishes,
    arrange,
    make_plan,
    name_groups,
    roots_in,
    vary_together,
)
from pdt_annotate.captures.exporting.file import ExportSheet, shapes_of, write
from pdt_annotate.captures.exporting.refusals import concede, rather_others, reason_in, wish
from pdt_annotate.values.exports import (
    Arrangement,
    CallSeen,
    ConstantSeen,
    NamedParameter,
    NestSeen,
    Seen,
    SpelledCall,
    leaves,
    sizes_of,
)
from pdt_annotate.values.verdicts import Failure

NONE, ONE = ConstantSeen("None"), ConstantSeen("1.0")
X, MODE = NamedParameter("x"), NamedParameter("mode")
REST = NamedParameter("xs_0", keyword=False, variadic=True)
X0, X1, Y0, Y1 = ((("x",), 0), (("x",), 1), (("y",), 0), (("y",), 1))
RELATION = Wishes(sizes={"x_0": Size("y_0", 1, 1)})
MASK = tensor(2, dtype="bool")


def of_sizes(*sizes: tuple[int, int]) -> tuple[CallSeen, ...]:
    return calls_of(*(of(x=tensor(x), y=tensor(y)) for x, y in sizes))


@pytest.mark.parametrize(
    ("calls", "wishes", "served", "left", "ranges"),
    [
        (calls_of({"x": tensor(2, 3), "n": ConstantSeen("3")}), None, [0], {}, {}),
        (calls_of({"x": tensor(2, 3)}, {"x": tensor(5, 3)}), None, [0, 1], {}, {"batch": (2, 5)}),
        (
            calls_of(
                {"x": tensor(2, 3), "mask": NONE},
                {"x": tensor(2, 3), "mask": MASK},
                {"x": tensor(4, 3), "mask": tensor(4, dtype="bool")},
                {"x": tensor(2, 3, 1), "mask": MASK},
                {"x": tensor(2, 3, dtype="int64"), "mask": MASK},
            ),
            None,
            [1, 2],
            {
                0: "`mask` is None, not a 1-d torch.bool tensor",
                3: "`x` is a 3-d torch.float32 tensor, not a 2-d torch.float32 tensor",
                4: "`x` is a 2-d torch.int64 tensor, not a 2-d torch.float32 tensor",
            },
            {"batch": (2, 4)},
        ),
        (
            [call(number, x=tensor(size), held_back=number > 1) for number, size in enumerate((2, 8, 5, 9))],
            None,
            [0, 1, 2],
            {3: "`batch` is 9, outside the range 2 to 8"},
            {"batch": (2, 8)},
        ),
        (
            (*calls_of({"x": MASK, "k": NONE}, {"x": MASK, "k": ONE}), call(2, x=MASK, k=ONE, held_back=True)),
            None,
            [1, 2],
            {0: "`k` is None, not 1.0"},
            {},
        ),
        (
            calls_of(*({"xs": NestSeen("list", tuple(range(n)), (MASK,) * n)} for n in (2, 2, 3))),
            None,
            [0, 1],
            {2: "`xs` is a list of 3, not a list of 2"},
            {},
        ),
        (
            calls_of(*(of(x=tensor(size), n=ConstantSeen(n)) for size, n in ((2, "3"), (3, "4"), (4, "4")))),
            None,
            [1, 2],
            {0: "`n` is 3, not 4"},
            {"batch": (3, 4)},
        ),
        (
            of_sizes((6, 5), (9, 8), (4, 4)),
            RELATION,
            [0, 1],
            {2: "its sizes break a constraint of torch.export"},
            {"y_0": (5, 8)},
        ),
        (
            calls_of(*({"x": tensor(x, 7), "y": tensor(y)} for x, y in ((6, 5), (6, 5), (4, 4)))),
            RELATION,
            [0, 1],
            {2: "size 0 of `x` is 4, not 6"},
            {},
        ),
    ],
)
def test_which_calls_are_served_for_which_sizes(
    calls: Sequence[CallSeen],
    wishes: Wishes | None,
    served: list[int],
    left: dict[int, str],
    ranges: dict[str, tuple[int, int]],
) -> None:
    plan = plan_of(calls, wishes=wishes)
    assert [each.number for each in plan.served] == served
    assert {each.number: why for each, why in plan.left} == left
    assert plan.ranges == ranges and bool(plan.named) is bool(ranges)


def test_what_is_left_out_is_its_default_and_what_no_served_call_passes_is_not_passed() -> None:
    plan = plan_of(calls_of({"x": tensor(2)}, {"x": tensor(3), "mask": NONE}), X, NamedParameter("mask", default=NONE))
    assert len(plan.served) == 2 and plan.arrangement == Arrangement(("x", "mask"))
    assert plan.example.arguments["mask"] == NONE
    calls = calls_of({"x": tensor(2)}, {"x": tensor(3)}, of(x=tensor(2), mode=ConstantSeen('"avg"')))
    plan = plan_of(calls, X, NamedParameter("mode", default=ConstantSeen('"max"')))
    assert plan.arrangement == Arrangement(("x",))
    held_back = call(0, x=tensor(2), held_back=True)
    assert make_plan(exportable([held_back, replace(call(1, x=tensor(2)), apart="it is meant to raise")])) is None


@pytest.mark.parametrize(
    ("shapes", "example", "instead"), [([(1, 4), (3, 4), (1, 4)], 1, {}), ([(1, 4), (3, 1)], 0, {X0: 3, X1: 4})]
)
def test_no_size_of_the_example_is_constant(
    shapes: list[tuple[int, int]], example: int, instead: dict[Any, int]
) -> None:
    plan = plan_of(calls_of(*({"x": tensor(*shape)} for shape in shapes)))
    assert (plan.example.number, plan.instead) == (example, instead)


def test_what_is_ever_passed_by_position_is_and_so_is_what_is_before_the_rest() -> None:
    parameters = [X, NamedParameter("k"), NamedParameter("only", positional=False)]
    calls = [call(0, ["x", "k"], x=NONE, k=NONE, only=NONE), call(1, ["x"], x=NONE, k=NONE, only=NONE)]
    assert arrange(parameters, calls) == Arrangement(("x", "k"), ("only",))
    assert arrange(parameters, calls[1:]) == Arrangement(("x",), ("k", "only"))
    assert arrange([X, REST], [call(0, ["xs_0"], x=NONE, xs_0=NONE)]) == Arrangement(("x", "xs_0"))


@pytest.mark.parametrize(
    ("sizes", "fixed", "groups"),
    [
        ({X0: [2, 2], X1: [3, 3]}, (), []),
        ({X0: [2]}, (), []),
        ({X0: [2, 4], X1: [3, 5]}, {X0}, [(X1,)]),
        ({X0: [2, 4], X1: [3, 5], Y0: [2, 4], Y1: [3, 4]}, (), [(X0, Y0), (X1,), (Y1,)]),
    ],
)
def test_what_varied_together_is_one_group(sizes: Any, fixed: Any, groups: Any) -> None:
    assert vary_together(sizes, fixed) == groups


def test_the_first_size_of_all_tensors_is_the_batch_unless_the_file_has_that_name() -> None:
    assert name_groups([(X0, Y0), (X1,)], [X0, X1, Y0, Y1]) == {"batch": (X0, Y0), "x_1": (X1,)}
    assert name_groups([(X0,), (X1,)], [X0, X1, Y0, Y1]) == {"x_0": (X0,), "x_1": (X1,)}
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


def test_wishes_lead_from_name_to_name() -> None:
    assert Size("s", 2).solve(5) is None
    wishes = Wishes(sizes={"a": Size("b", 2), "b": Size("c", 1, 3)})
    assert wishes.resolve("a") == Size("c", 2, 6)
    assert wishes.resolve("other") == Size("other")
    assert Wishes(sizes={"a": Size("b"), "b": Size("a")}).resolve("a").root in ("a", "b")


@pytest.mark.parametrize(
    ("x", "y", "other", "roots"), [(5, 4, 4, {"y_0": 4}), (5, 5, 5, None), (9, 8, 8, None), (5, 4, 3, None)]
)
def test_roots_in_a_call(x: int, y: int, other: int, roots: dict[str, int] | None) -> None:
    wishes = replace(RELATION, ranges={"y_0": (2, 6)})
    assert roots_in({"x_0": (X0,), "y_0": (Y0, Y1)}, {X0: x, Y0: y, Y1: other}, wishes) == roots


RELATED = """\
Constraints violated (x_0, y_0)! For more information, run with TORCH_LOGS="+dynamic".
  - The values of x_0 = L['x'].size()[0] must always be related to the values of y_0 = L['y'].size()[0] by ... .
Suggested fixes:
  y_0 = Dim('y_0', max=63)
  x_0 = y_0 + 1

The error above occurred when calling torch.export.export."""


@pytest.fixture
def plan() -> ExportPlan:
    """A plan with two sizes that vary independently."""
    return plan_of(of_sizes((6, 5), (9, 7), (4, 4)))


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Could not guard on data-dependent expression u0 > 3", None),
        (RELATED, replace(RELATION, ranges={"y_0": (0, 63.0)})),
        ("Suggested fixes:\n  x_0 = y_0\n", Wishes(sizes={"x_0": Size("y_0")})),
        ("Suggested fixes:\n  x_0 = 2*y_0\n", Wishes(sizes={"x_0": Size("y_0", 2)})),
        ("Suggested fixes:\n  x_0 = 3*_x_0 - 1\n", Wishes(sizes={"x_0": Size("_x_0", 3, -1)})),
        ("Suggested fixes:\n  x_0 = 7\n", Wishes(frozenset({X0}))),
        (
            "Suggested fixes:\n  x_0 = Dim('x_0', min=6, max=64)\n  y_0 = Dim('y_0', min=3)\n",
            Wishes(ranges={"x_0": (6, 64.0), "y_0": (3, float("inf"))}),
        ),
    ],
)
def test_what_torch_asks_for_in_its_words(said: str, asked: Wishes | None, plan: ExportPlan) -> None:
    assert wish(plan, said) == asked


def test_what_was_asked_for_stays_asked_for(plan: ExportPlan) -> None:
    first = plan_of([*plan.served], wishes=wish(plan, RELATED))
    second = wish(first, "Suggested fixes:\n  y_0 = Dim('y_0', min=4)\n")
    assert second is not None and second.sizes == RELATION.sizes
    assert wish(first, RELATED) is None, "it was asked for, and did not help"


def test_without_a_suggestion_the_batch_is_given_up_last_or_the_side_of_a_branch_that_serves_fewer_calls() -> None:
    plan = plan_of(calls_of({"x": tensor(2, 7)}, {"x": tensor(3, 8)}, {"x": tensor(2, 8)}))
    fixed = []
    while asked := concede(plan):
        fixed.append(asked.fixed)
        plan = plan_of((*plan.served, *(each for each, _ in plan.left)), wishes=asked)
    assert fixed == [{X1}, {X1, X0}]
    plan = plan_of(calls_of({"x": tensor(2)}, {"x": tensor(8)}, {"x": tensor(9)}))
    one, two = (plan_of(plan.served, wishes=Wishes(ranges={"batch": each})) for each in ((0, 5), (6, 9)))
    asked = rather_others(plan, one, "why")
    assert asked is not None and list(asked.apart) == [0]
    assert rather_others(plan, two, "why") is None
    assert rather_others(plan, None, "why") is None


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("Something else.\nMore.", "Something else"),
        (
            "  - You marked a as dynamic but your code specialized it to be a constant (7). If you're",
            "the code accepts only 7",
        ),
        (
            "  - Not all values of a = L['x'].size()[0] in the specified range a <= 9 satisfy the generated guard "
            "6 <= L['x'].size()[0].",
            "the code requires 6 <= x.size()[0]",
        ),
        (RELATED, "the code requires this relation between them"),
    ],
)
def test_the_reason_in_one_line(said: str, reason: str) -> None:
    assert reason_in(Failure(said, text=said)) == reason


def test_sizes_of_nested_arguments() -> None:
    rest = NestSeen("State", (".n", ".m"), (ConstantSeen("4"), NONE))
    seen = call(0, batch=NestSeen("dict", ("ids", "rest"), (tensor(2, 3), rest)))
    assert sizes_of(seen) == {(("batch", "ids"), 0): 2, (("batch", "ids"), 1): 3}
    paths = [path for path, _ in leaves(seen.arguments)]
    assert paths == [("batch", "ids"), ("batch", "rest", ".n"), ("batch", "rest", ".m")]


@pytest.mark.parametrize(
    ("kind", "keys", "first", "second", "shapes"),
    [
        ("", (), [NONE], [NONE], "None"),
        ("", (), [tensor(2)], [tensor(2)], "None"),
        ("", (), [tensor(2, 3, 4)], [tensor(3, 3, 5)], "{0: batch, 2: v_2}"),
        ("list", (0, 1), [tensor(2), NONE], [tensor(3), NONE], "[{0: batch}, None]"),
        ("tuple", (0,), [tensor(2)], [tensor(3)], "({0: batch},)"),
        ("dict", ("a", 1), [NONE, tensor(2)], [NONE, tensor(3)], '{"a": None, 1: {0: batch}}'),
        ("State", (".h",), [tensor(2)], [tensor(3)], "State({0: batch})"),
    ],
)
def test_shapes(kind: str, keys: tuple[str | int, ...], first: list[Seen], second: list[Seen], shapes: str) -> None:
    seen = [NestSeen(kind, keys, tuple(parts)) if kind else parts[0] for parts in (first, second)]
    plan = plan_of(calls_of(*({"v": each} for each in seen)))
    assert shapes_of(("v",), plan.example.arguments["v"], plan) == shapes


MADE_AS_IT_IS = """\
    torch.manual_seed(0)
    module = Net()
    module.load_state_dict(torch.load(HERE / "w.pt", weights_only=True)["model"])
    module.to(torch.float64)
    module.eval()
    return module"""


@pytest.mark.parametrize(
    ("arguments", "parameters", "building", "parts"),
    [
        ({}, [X], {"mode": "eval", "state": "/w.pt", "key": "model", "dtype": "float64"}, [MADE_AS_IT_IS]),
        (
            {},
            [X],
            {"function": True, "expression": "act"},
            ["    def forward(self, x):\n        return act(x)\n", "    return Target()\n"],
        ),
        ({}, [X], {"method": "encode"}, ["        return self.module.encode(x)\n", "    return Target(module)\n"]),
        ({"xs_0": tensor(2)}, [X, REST], {}, ["        return self.module(x, xs_0)\n"]),
        (
            {"mode": ConstantSeen("Mode.MUL", held=True)},
            [MODE, X],
            {},
            ["    def forward(self, x):\n        return self.module(Mode.MUL, x)\n"],
        ),
        ({}, [X], {"lazy": True}, ["    module(*args, **kwargs)  # gives lazy modules"]),
    ],
)
def test_what_makes_a_target_that_is_called_by_position(
    arguments: Mapping[str, Seen], parameters: Sequence[NamedParameter], building: dict[str, Any], parts: list[str]
) -> None:
    given: dict[str, Seen] = {each.name: arguments.get(each.name, tensor(2)) for each in parameters}
    told = replace(exportable(calls_of(given), *parameters), building=replace(BUILDING, **building))
    plan = make_plan(told)
    assert plan is not None
    texts = {name: getattr(seen, "text", "…") for name, seen in given.items()}
    text = write(ExportSheet("m:Net", "command", "/x.py", told, plan, SpelledCall(texts)))
    assert all(part in text for part in parts)
    assert ("class Target" in text) is ("return Target" in text)
