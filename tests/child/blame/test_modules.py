"""What is said of a tree for which there was no time."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from pdt_annotate.blame import modules
from pdt_annotate.inputs.resolve import subject_of
from pdt_annotate.inputs.specs import Spec
from pdt_annotate.observers.sites import Store
from pdt_annotate.processes.child.prepared import Prepared
from pdt_annotate.values.runs import Call, Candidate
from pdt_annotate.values.verdicts import Answers, Trial, Verdict

pytestmark = pytest.mark.usefixtures("one_thread")


class Bad(nn.Module):
    def forward(self, x):
        try:
            return x
        except ValueError:
            return x


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = Bad()
        self.second = nn.Sequential(Bad())

    def forward(self, x):
        return self.second(self.first(x))


@pytest.mark.parametrize(("seconds", "left"), [(0.0, ["first", "second.0"]), (modules.SECONDS, [])])
def test_modules_without_time_are_named_and_not_judged(
    seconds: float, left: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modules, "SECONDS", seconds)
    net = Net()
    prepared = Prepared(".", subject_of(net, lambda: net), net, Spec((Call((torch.ones(2),)),)), Store())
    failed = Trial((Verdict("scripts", False),))
    parts = modules.blame(prepared, Candidate(), failed, {}, Candidate())
    assert [part.path for part in parts if part.answers is Answers.NOT_JUDGED] == left
    assert [part.path for part in parts] == ["", "first", "second.0"]
