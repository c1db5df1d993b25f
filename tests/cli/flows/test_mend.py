"""`--mend` as a command: what is advised without it, what is written with it, and what it leaves alone."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from tool import run, write

BLOCK = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, downsample=None):
        super().__init__()
        self.downsample = downsample

    def forward(self, x: torch.Tensor):
        if self.downsample:
            x = self.downsample(x)
        return x


class Scale(nn.Module):
    def forward(self, x, by):
        return x * by
"""
NET = """

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block(nn.Linear(4, 4))])
        self.scale = Scale()

    def forward(self, x, by):
        for block in self.blocks:
            x = block(x)
        return self.scale(x, by)
"""
HOPELESS = NET.replace("return self.scale(x, by)", "return next(iter({self.scale(x, by)}))")
MENDED = "if self.downsample is not None:"
RUN = ("net.py:Net", "-i", "inputs.py")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    inputs = "import torch\n\nexample_inputs = [(torch.ones(2, 4), 3)]\n"
    settings = "[tool.pdt-annotate]\nno-probe = true\n"
    return write(tmp_path, {"net.py": BLOCK + NET, "inputs.py": inputs, "pyproject.toml": settings})


def source(project: Path) -> str:
    return (project / "net.py").read_text()


def test_without_it_nothing_is_mended_and_the_command_that_would_is_told(project: Path) -> None:
    before = source(project)
    done = run(project, *RUN, "--json", "out.json")
    assert (done.returncode, source(project)) == (3, before)
    lines = done.stderr.splitlines()
    assert lines[0].startswith("net.py:") and " does not script: 2 lines are in the way, in 2 of 4 modules" in lines[0]
    assert lines[-1].startswith("nothing was written; -v shows ")
    assert any(line.startswith("with `--mend exact` it would script: 1 change of code in 1 file, +") for line in lines)
    command = next(line for line in lines if line.startswith("  → pdt-annotate"))
    advised = json.loads((project / "out.json").read_text())["advised"]
    assert [mend["in"]["function"] for mend in advised["mends"]] == ["Block.forward"]

    done = run(project, *shlex.split(command.removeprefix("  → pdt-annotate")))
    assert done.returncode == 0, done.stderr
    assert "wrote 4 annotations and 1 mend into 1 file" in done.stderr
    assert MENDED in source(project) and "def forward(self, x: torch.Tensor, by: int):" in source(project)

    written = source(project)
    done = run(project, *RUN, "--no-cache")
    assert (done.returncode, source(project)) == (0, written)
    assert "nothing to annotate" in done.stderr and "--mend" not in done.stderr


def test_a_check_fails_where_a_function_lacks_nothing_but_a_mend(project: Path) -> None:
    before = source(project)
    done = run(project, *RUN, "--check", "--mend", "--output-format", "github")
    assert (done.returncode, source(project)) == (1, before)
    mended = [line for line in done.stdout.splitlines() if "PDT092" in line]
    assert len(mended) == 1 and mended[0].startswith("::error file=net.py,line=11,")
    assert "4 annotations and 1 mend missing in 1 file" in done.stderr


def test_where_the_whole_fails_with_mends_too_parts_are_annotated_as_they_are(project: Path) -> None:
    (project / "net.py").write_text(BLOCK + HOPELESS)
    done = run(project, *RUN, "--mend", "--write-partial")
    assert done.returncode == 3
    assert source(project) == (BLOCK + HOPELESS).replace(
        "def forward(self, x, by):\n        return x",
        ("def forward(self, x: torch.Tensor, by: int):\n        return x"),
    )
    assert "wrote 2 annotations into 1 file" in done.stderr


MASKED = """\
import torch
from torch import nn


def exists(value):
    return value is not None


class Net(nn.Module):
    def forward(self, x, mask=None):
        if exists(mask):
            first = max(x, key=lambda row: row.sum()) if exists(mask) else {0, 1}
            x = first * mask
        return x * 2
"""


def test_a_branch_that_no_call_takes_is_left_out_although_other_rules_change_it(project: Path) -> None:
    (project / "net.py").write_text(MASKED)
    (project / "inputs.py").write_text("import torch\n\nexample_inputs = [(torch.ones(2, 4),)]\n")
    done = run(project, *RUN, "--mend=all")
    assert done.returncode == 0, done.stderr
    assert "            x = self._forward_with_mask(x, mask)\n" in source(project)
    assert "        first = max(x, key=lambda row: row.sum())" in source(project)
    assert "PDT093" in done.stderr
