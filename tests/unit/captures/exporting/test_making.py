"""What makes the target in the file, without torch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from seen_calls import BUILDING, calls_of, exportable, tensor

from pdt_annotate.captures.exporting.choose import make_plan
from pdt_annotate.captures.exporting.layout import ExportSheet
from pdt_annotate.captures.exporting.making import making
from pdt_annotate.values.exports import ConstantSeen, NamedParameter, Seen, SpelledCall

X = NamedParameter("x")
REST = NamedParameter("xs_0", keyword=False, variadic=True)
MODE = ConstantSeen("Mode.MUL", held=True)


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
