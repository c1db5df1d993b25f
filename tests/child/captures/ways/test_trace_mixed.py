"""Which submodules are scripted inside a trace: none needlessly, the smallest that will do, or a reason why none."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch
from loaded import load
from torch import nn

from pdt_annotate.captures.subject import AbsentError, Capturable, Captured
from pdt_annotate.captures.ways.trace_mixed import MixError, capture
from pdt_annotate.values.runs import Call

SOURCE = """\
from torch import nn

class Gate(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            return x * 2
        return x

class Repeat(nn.Module):
    def forward(self, x, n: int):
        for i in range(n):
            x = x + i
        return x

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.repeat = Repeat()
    def forward(self, x):
        return self.repeat(x, x.size(0))

class Lambda(nn.Module):
    def forward(self, x):
        return (lambda y: y * 2)(x) if x.sum() > 0 else x
"""

CALLS = (Call((torch.ones(3, 2),), name="a"), Call((-torch.ones(5, 2),), name="b"))
UNSEEN = torch.full((7, 2), -1.0)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("mixed") / "mixed_models.py", SOURCE)


def mix(module: nn.Module) -> Captured:
    root = str(Path(sys.modules["mixed_models"].__file__ or "").parent)
    kept = copy.deepcopy(module)
    return capture(Capturable(module, CALLS, root, lambda: copy.deepcopy(kept)))


@pytest.mark.parametrize("callee", [nn.Linear(2, 2), torch.relu], ids=["nothing baked in", "a function"])
def test_where_nothing_can_be_mixed_it_says_so(callee: object, models: ModuleType) -> None:
    with pytest.raises(AbsentError):
        mix(callee)  # type: ignore[arg-type]


def test_the_smallest_submodule_is_scripted_and_told(models: ModuleType) -> None:
    model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(models.Gate()))
    eager = copy.deepcopy(model)
    captured = mix(model)
    assert torch.equal(captured.run(UNSEEN), eager(UNSEEN))
    (finding,) = captured.findings()
    assert finding.code == "PDT089" and finding.place.line == 5
    assert '`model.set_submodule("1.0", torch.jit.script(model.get_submodule("1.0")))`' in finding.message


@pytest.mark.forks
def test_where_a_number_is_passed_the_module_around_is_scripted(models: ModuleType) -> None:
    model = nn.Sequential()
    model.block = models.Block()
    captured = mix(model)
    assert torch.equal(captured.run(UNSEEN), models.Block()(UNSEEN))
    assert "`model.block = torch.jit.script(model.block)`" in captured.findings()[0].message


def test_the_target_itself_cannot_be_scripted_inside_itself(models: ModuleType) -> None:
    with pytest.raises(MixError, match=r"lies in the target itself, in no module inside it$"):
        mix(models.Gate())


def test_what_does_not_script_is_named(models: ModuleType) -> None:
    with pytest.raises(MixError, match=r"`0` does not script \(Lambda"):
        mix(nn.Sequential(models.Lambda()))
