"""Lazy modules in a real session: what waits for no call is not called ahead, and what waits gets its parameters."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from profiled import write
from torch import nn

from pdt_annotate.findings.messages import code_of
from pdt_annotate.flows.annotate import annotate
from pdt_annotate.inputs.target import parse, spec_source
from pdt_annotate.processes.child.prepared import lazy_modules
from pdt_annotate.processes.zygote import Zygote
from pdt_annotate.settings.options import Options
from pdt_annotate.values.outcome import Outcome

MODEL = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.LazyConv2d(4, 3)
        self.norm = nn.LazyBatchNorm2d()
        self.proj = nn.LazyLinear(5)
    def forward(self, x, scale=None):
        x = self.proj(self.norm(self.conv(x)).flatten(1))
        return x if scale is None else x * scale

class Unreached(Net):
    def forward(self, x, scale=None):
        return x

class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.ran = torch.zeros(1)
    def forward(self, x, scale=None):
        self.ran += 1
        return x * self.ran
"""
SPEC = "import torch\ncalls = [(torch.ones(2, 3, 8, 8), 2), (torch.ones(2, 3, 8, 8),)]\n"


@pytest.fixture
def run(zygote: Zygote, tmp_path: Path) -> Callable[[str], Outcome]:
    write(tmp_path, {"model.py": MODEL, "spec.py": SPEC})

    def run(name: str) -> Outcome:
        target, spec = parse(f"{tmp_path}/model.py:{name}"), spec_source(str(tmp_path / "spec.py"), ())
        return annotate(Options((target,), spec, str(tmp_path), no_probe=True), zygote)

    return run


@pytest.mark.parametrize("model", [3, nn.Linear(2, 2), nn.LazyLinear, nn.Sequential(nn.ReLU())])
def test_what_waits_for_no_call(model: object) -> None:
    assert lazy_modules(model) == ()


def test_what_waits_for_a_call() -> None:
    net = nn.Sequential(nn.LazyLinear(3), nn.Linear(3, 3))
    assert lazy_modules(net) == ("0 (LazyLinear)",)
    assert lazy_modules(net[0]) == ("the model (LazyLinear)",)
    net(torch.ones(1, 2))
    assert lazy_modules(net) == ()


def codes(outcome: Outcome) -> set[str]:
    return {finding.code for finding in outcome.findings}


def test_nothing_is_said_of_other_models(run: Callable[[str], Outcome]) -> None:
    outcome = run("Plain")
    assert outcome.verified and "PDT059" not in codes(outcome)


def test_the_call_is_made_ahead_and_told(run: Callable[[str], Outcome]) -> None:
    outcome = run("Net")
    (told,) = (finding.message for finding in outcome.findings if finding.code == "PDT059")
    assert outcome.verified and "conv (LazyConv2d), norm (LazyBatchNorm2d), proj (LazyLinear)" in told
    assert b"scale: Optional[int] = None" in outcome.changes[0].after


def test_modules_that_no_call_fills_are_told_to_be_so(run: Callable[[str], Outcome]) -> None:
    outcome = run("Unreached")
    assert not outcome.verified and {code_of(each) for each in outcome.verdicts if not each.ok} == {"PDT059"}
