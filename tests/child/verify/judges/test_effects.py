"""What a call leaves in the modules of a target, compared with what it leaves in the compiled ones."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from pdt_annotate.verify.judges.effects import State
from pdt_annotate.verify.judges.values import Difference


def net(inner: nn.Module) -> nn.Module:
    return nn.Sequential(inner, nn.BatchNorm1d(2))


@pytest.mark.parametrize("scripted_before", [False, True])
def test_the_same_call_leaves_the_same(scripted_before: bool) -> None:
    linear = nn.Linear(2, 2)
    eager = net(torch.jit.script(linear) if scripted_before else linear)
    compiled = torch.jit.script(copy.deepcopy(eager))
    state = State(eager, compiled)
    for module in (eager, compiled):
        module(torch.ones(3, 2))
    state.compare()


def test_a_call_of_one_alone() -> None:
    eager = net(torch.jit.script(nn.Linear(2, 2)))
    state = State(eager, torch.jit.script(copy.deepcopy(eager)))
    eager(torch.ones(3, 2))
    with pytest.raises(Difference, match="running_mean"):
        state.compare()
