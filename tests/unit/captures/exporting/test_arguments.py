"""`dynamic_shapes` has the structure of the arguments, without torch."""

from __future__ import annotations

import pytest
from seen_calls import calls_of, plan_of, tensor

from pdt_annotate.captures.exporting.arguments import shapes_of
from pdt_annotate.values.exports import ConstantSeen, NestSeen, NumberSeen, Seen

NONE = ConstantSeen("None")


def nest(kind: str, keys: tuple[str | int, ...], *parts: Seen) -> NestSeen:
    return NestSeen(kind, keys, parts)


@pytest.mark.parametrize(
    ("first", "second", "shapes"),
    [
        (NONE, NONE, "None"),
        (tensor(2), tensor(2), "None"),
        (NumberSeen(2), NumberSeen(2), "None"),
        (tensor(2, 3, 4), tensor(3, 3, 5), "{0: batch, 2: v_2}"),
        (NumberSeen(2), NumberSeen(5), "Dim.DYNAMIC(min=2, max=5)"),
        (nest("list", (0, 1), tensor(2), NONE), nest("list", (0, 1), tensor(3), NONE), "[{0: batch}, None]"),
        (nest("tuple", (0,), tensor(2)), nest("tuple", (0,), tensor(3)), "({0: batch},)"),
        (
            nest("dict", ("a", 1), NONE, tensor(2)),
            nest("dict", ("a", 1), NONE, tensor(3)),
            '{"a": None, 1: {0: batch}}',
        ),
        (nest("State", (".h",), tensor(2)), nest("State", (".h",), tensor(3)), "State({0: batch})"),
    ],
)
def test_shapes(first: Seen, second: Seen, shapes: str) -> None:
    plan = plan_of(calls_of({"v": first}, {"v": second}))
    assert shapes_of(("v",), plan.example.arguments["v"], plan) == shapes
