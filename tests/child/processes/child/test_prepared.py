"""Lazy modules in a real session: what waits for no call is not called ahead, and what waits gets its parameters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from profiled import write
from repository import ROOT
from torch import nn

from pdt_annotate.processes.child.prepared import lazy_modules

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
def project(tmp_path: Path) -> Path:
    write(tmp_path, {"model.py": MODEL, "spec.py": SPEC, "pyproject.toml": ""})
    return tmp_path


def annotate(project: Path, target: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pdt_annotate", target, "-i", "spec.py", "--no-probe"],
        cwd=project,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("model", [3, nn.Linear(2, 2), nn.LazyLinear, nn.Sequential(nn.ReLU())])
def test_what_waits_for_no_call(model: object) -> None:
    assert lazy_modules(model) == ()


def test_what_waits_for_a_call() -> None:
    net = nn.Sequential(nn.LazyLinear(3), nn.Linear(3, 3))
    assert lazy_modules(net) == ("0 (LazyLinear)",)
    assert lazy_modules(net[0]) == ("the model (LazyLinear)",)
    net(torch.ones(1, 2))
    assert lazy_modules(net) == ()


def test_nothing_is_said_of_other_models(project: Path) -> None:
    done = annotate(project, "model:Plain")
    assert done.returncode == 0 and "PDT059" not in done.stderr, done.stderr


def test_the_call_is_made_ahead_and_told(project: Path) -> None:
    done = annotate(project, "model:Net")
    assert done.returncode == 0, done.stderr
    assert "PDT059" in done.stderr and "conv (LazyConv2d), norm (LazyBatchNorm2d), proj (LazyLinear)" in done.stderr
    assert "scale: Optional[int] = None" in (project / "model.py").read_text()


def test_modules_that_no_call_fills_are_told_to_be_so(project: Path) -> None:
    done = annotate(project, "model:Unreached")
    assert done.returncode == 3 and "PDT059" in done.stderr
