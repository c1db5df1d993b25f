"""What torch.export asks for, in its words (those of torch 2.13), without torch."""

from __future__ import annotations

import pytest
from seen_calls import calls_of, of, plan_of, tensor

from pdt_annotate.captures.exporting.plan import ExportPlan, Size, Wishes
from pdt_annotate.captures.exporting.refusals import concede, rather_others, reason_in, wish
from pdt_annotate.values.verdicts import Failure

X0, Y0 = ((("x",), 0), (("y",), 0))
RELATED = """\
Constraints violated (x_0, y_0)! For more information, run with TORCH_LOGS="+dynamic".
  - The values of x_0 = L['x'].size()[0] must always be related to the values of y_0 = L['y'].size()[0] by ... .
Suggested fixes:
  y_0 = Dim('y_0', max=63)
  x_0 = y_0 + 1

The error above occurred when calling torch.export.export."""


@pytest.fixture
def plan() -> ExportPlan:
    """Of two sizes that vary, each by itself."""
    return plan_of(calls_of(*(of(x=tensor(x), y=tensor(y)) for x, y in ((6, 5), (9, 7), (4, 4)))))


def test_a_message_without_suggestions_asks_for_nothing(plan: ExportPlan) -> None:
    assert wish(plan, "Could not guard on data-dependent expression u0 > 3") is None


def test_a_relation(plan: ExportPlan) -> None:
    assert wish(plan, RELATED) == Wishes(sizes={"x_0": Size("y_0", 1, 1)}, ranges={"y_0": (0, 63.0)})


@pytest.mark.parametrize(
    ("suggested", "size"),
    [("x_0 = y_0", Size("y_0")), ("x_0 = 2*y_0", Size("y_0", 2)), ("x_0 = 3*_x_0 - 1", Size("_x_0", 3, -1))],
)
def test_relations_as_torch_writes_them(plan: ExportPlan, suggested: str, size: Size) -> None:
    asked = wish(plan, f"Suggested fixes:\n  {suggested}\n")
    assert asked is not None and asked.sizes == {"x_0": size}


def test_a_constant(plan: ExportPlan) -> None:
    assert wish(plan, "Suggested fixes:\n  x_0 = 7\n") == Wishes(frozenset({X0}))


def test_a_range(plan: ExportPlan) -> None:
    asked = wish(plan, "Suggested fixes:\n  x_0 = Dim('x_0', min=6, max=64)\n  y_0 = Dim('y_0', min=3)\n")
    assert asked == Wishes(ranges={"x_0": (6, 64.0), "y_0": (3, float("inf"))})


def test_what_was_asked_for_stays_asked_for(plan: ExportPlan) -> None:
    first = plan_of([*plan.served], wishes=wish(plan, RELATED))
    second = wish(first, "Suggested fixes:\n  y_0 = Dim('y_0', min=4)\n")
    assert second is not None and second.sizes == {"x_0": Size("y_0", 1, 1)}
    assert wish(first, RELATED) is None, "it was asked for, and did not help"


def conceded(plan: ExportPlan) -> list[Wishes]:
    """What is given up, one after the other, until there is nothing left."""
    found: list[Wishes] = []
    while asked := concede(plan):
        found.append(asked)
        plan = plan_of((*plan.served, *(call for call, _ in plan.left)), wishes=asked)
    return found


def test_without_a_suggestion_the_batch_is_given_up_last() -> None:
    x1 = (("x",), 1)
    plan = plan_of(calls_of({"x": tensor(2, 7)}, {"x": tensor(3, 8)}, {"x": tensor(2, 8)}))
    assert [asked.fixed for asked in conceded(plan)] == [{x1}, {x1, X0}]


def test_the_side_of_a_branch_that_serves_more_calls() -> None:
    plan = plan_of(calls_of({"x": tensor(2)}, {"x": tensor(8)}, {"x": tensor(9)}))
    one = plan_of(plan.served, wishes=Wishes(ranges={"batch": (0, 5)}))
    two = plan_of(plan.served, wishes=Wishes(ranges={"batch": (6, 9)}))
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
            "the code takes 7 alone",
        ),
        (
            "  - Not all values of a = L['x'].size()[0] in the specified range a <= 9 satisfy the generated guard "
            "6 <= L['x'].size()[0].",
            "the code asks for 6 <= x.size()[0]",
        ),
        (RELATED, "the code needs them in this relation"),
    ],
)
def test_the_reason_in_one_line(said: str, reason: str) -> None:
    assert reason_in(Failure(said, text=said)) == reason
