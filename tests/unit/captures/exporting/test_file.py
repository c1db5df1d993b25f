"""The text of the file, without torch: `dynamic_shapes`, and what makes the target."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from seen_calls import BUILDING, calls_of, exportable, plan_of, tensor

from pdt_annotate.captures.exporting.file import ExportSheet, making, shapes_of
from pdt_annotate.captures.exporting.plan import make_plan
from pdt_annotate.values.exports import ConstantSeen, NamedParameter, NestSeen, Seen, SpelledCall

NONE = ConstantSeen("None")
X = NamedParameter("x")
REST = NamedParameter("xs_0", keyword=False, variadic=True)
MODE = ConstantSeen("Mode.MUL", held=True)


def nest(kind: str, keys: tuple[str | int, ...], *parts: Seen) -> NestSeen:
    return NestSeen(kind, keys, parts)


@pytest.mark.parametrize(
    ("first", "second", "shapes"),
    [
        (NONE, NONE, "None"),
        (tensor(2), tensor(2), "None"),
        (tensor(2, 3, 4), tensor(3, 3, 5), "{0: batch, 2: v_2}"),
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


def made(arguments: dict[str, Seen], *parameters: NamedParameter, **building: Any) -> str:
    """What makes a target that is called with arguments by position."""
    told = replace(exportable(calls_of(arguments), *parameters), building=replace(BUILDING, **building))
    plan = make_plan(told)
    assert plan is not None
    texts = {name: getattr(seen, "text", "…") for name, seen in arguments.items()}
    return "\n".join(making(ExportSheet("m:Net", "command", "/x.py", told, plan, SpelledCall(texts))))


def test_a_module_is_made_as_it_is() -> None:
    text = made({"x": tensor(2)}, X, mode="eval", state="/w.pt", key="model", dtype="float64")
    assert "class" not in text
    assert [line.strip() for line in text.splitlines()[2:]] == [
        "torch.manual_seed(0)",
        "module = Net()",
        'module.load_state_dict(torch.load(HERE / "w.pt", weights_only=True)["model"])',
        "module.to(torch.float64)",
        "module.eval()",
        "return module",
    ]


def test_a_module_around_a_function() -> None:
    text = made({"x": tensor(2)}, X, function=True, expression="act")
    assert "    def forward(self, x):\n        return act(x)\n" in text
    assert "    return Target()\n" in text


def test_a_module_around_a_method() -> None:
    text = made({"x": tensor(2)}, X, method="encode")
    assert "        return self.module.encode(x)\n" in text
    assert "    return Target(module)\n" in text


def test_a_module_with_names_for_the_rest() -> None:
    assert "        return self.module(x, xs_0)\n" in made({"x": tensor(2), "xs_0": tensor(2)}, X, REST)


def test_a_module_that_holds_what_is_no_argument() -> None:
    text = made({"mode": MODE, "x": tensor(2)}, NamedParameter("mode"), X)
    assert "    def forward(self, x):\n        return self.module(Mode.MUL, x)\n" in text


def test_a_lazy_module_is_called_once() -> None:
    assert "    module(*args, **kwargs)  # gives lazy modules" in made({"x": tensor(2)}, X, lazy=True)
