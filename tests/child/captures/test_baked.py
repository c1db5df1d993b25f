"""What traces take for good: nothing of what they need not, then what the tracer warns of and what it does not."""

import copy
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch
from loaded import load

from pdt_annotate.captures.capturable import Capturable
from pdt_annotate.captures.examine import baked_into
from pdt_annotate.values.capture_results import Baked
from pdt_annotate.values.runs import Call

pytestmark = pytest.mark.forks
"""Further calls are made in forks."""

SOURCE = """\
import torch
from torch import nn


class Gate(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x


def count(x):
    for i in range(x.size(0)):
        x = x + i
    return x


class Both(nn.Sequential):
    def forward(self, x):
        return count(super().forward(x))


class Wired(nn.Module):
    def forward(self, x):
        a, b = x + 1, x * 2
        return a - b if x.size(0) > 3 else b - a
"""

CALLS = (Call((torch.ones(3, 2),), name="a"), Call((-torch.ones(5, 2),), name="b"))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("baked") / "baked_models.py", SOURCE)


def baked(module: torch.nn.Module, *calls: Call, drawn: bool = True) -> tuple[Baked, ...]:
    root = str(Path(sys.modules["baked_models"].__file__ or "").parent)
    return baked_into(Capturable(module, calls or CALLS, root, lambda: copy.deepcopy(module)), drawn=drawn)


def lines(found: tuple[Baked, ...]) -> set[tuple[str, tuple[int, ...]]]:
    return {(each.path, tuple(place.line for place in each.frames)) for each in found}


def test_a_warning_names_the_stack_and_the_module(models: ModuleType) -> None:
    found = baked(torch.nn.Sequential(torch.nn.ReLU(), models.Gate()), CALLS[0], drawn=False)
    assert lines(found) == {("1", (7,))}
    assert found[0].message.startswith("this branch depends on a tensor") and not found[0].differs


def test_a_loop_over_a_size_shows_beside_another_call(models: ModuleType) -> None:
    assert baked(models.Both(), CALLS[0], drawn=False) == ()
    found = baked(models.Both(), drawn=False)
    assert lines(found) == {("", (14, 20))}
    assert found[0].message == "the number of turns of this loop is baked in" and found[0].differs
    assert baked(models.Both(), CALLS[0]) == found


def test_the_same_operators_in_another_order_differ_and_a_scripted_part_bakes_in_nothing(models: ModuleType) -> None:
    assert any(each.differs for each in baked(models.Wired()))
    scripted: torch.nn.Module = torch.jit.script(models.Gate())
    assert baked(torch.nn.Sequential(scripted)) == ()
