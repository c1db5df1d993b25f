"""What modules hold and callers pass, in a real session."""

from __future__ import annotations

from textwrap import dedent

import pytest

from pdt_annotate.inputs.target import parse
from pdt_annotate.processes.tasks import PREPARE, facts
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.values.mends import HeldValue, LiveFacts, Variadic
from pdt_annotate.values.runs import SpecSource

MODEL = """
    import torch
    from torch import nn
    import torch.nn.functional as F

    class Base(nn.Module):
        def forward(self, x, *args, **kwargs):
            self.calls += 1
            return self.act(x)

    class Block(Base):
        def __init__(self, act, down):
            super().__init__()
            self.act = act
            self.norm = "batch"
            self.calls = 0
            self.sizes = [1, 2]
            if down:
                self.down = nn.Linear(2, 2)
        def extra(self, x):
            return x

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.one = Block(F.relu, True)
            self.two = Block(nn.GELU(), False)
        def forward(self, x, scale=None):
            return self.two(self.one(x, 1, 2, mask=None), mask=None, rate=2)
"""

SPEC = """
    import torch

    example_inputs = [(torch.ones(1, 2),)]
"""


@pytest.fixture(scope="module")
def shown(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, LiveFacts]:
    folder = tmp_path_factory.mktemp("facts")
    (folder / "model.py").write_text(dedent(MODEL))
    (folder / "inputs.py").write_text(dedent(SPEC))
    spec = SpecSource(file=str(folder / "inputs.py"))
    session = zygote.session(PREPARE, parse(f"{folder}/model.py:Net"), spec, str(folder), {})
    return str(folder / "model.py"), facts(session)


def test_values_of_all_modules_of_a_class_are_told_together(shown: tuple[str, LiveFacts]) -> None:
    file, facts = shown
    held = facts.held[file, "Block"]
    assert held["norm"].literal == "'batch'"
    relu, gelu = held["act"].values
    assert relu.name == "torch.nn.functional.relu"
    assert gelu.type == "torch.nn.modules.activation.GELU"
    assert (held["sizes"].values[0].length, held["sizes"].values[0].items) == (2, ("builtins.int",))


def test_base_classes_are_told_of_what_their_modules_hold(shown: tuple[str, LiveFacts]) -> None:
    file, facts = shown
    assert facts.held[file, "Base"]["norm"] == facts.held[file, "Block"]["norm"]


def test_what_some_modules_lack_and_what_calls_change(shown: tuple[str, LiveFacts]) -> None:
    file, facts = shown
    held = facts.held[file, "Block"]
    assert held["down"].lacking
    assert not held["norm"].lacking
    assert held["calls"].changes
    assert held["calls"].literal == ""
    assert HeldValue("builtins.int", literal="0") in held["calls"].values


def test_variadic_parameters_are_told_by_what_they_took(shown: tuple[str, LiveFacts]) -> None:
    file, facts = shown
    assert facts.variadic == {(file, "Base.forward"): Variadic(2, ("mask", "rate"))}
