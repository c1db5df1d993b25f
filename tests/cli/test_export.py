"""`pdt-annotate captures --emit export` from outside, and the file that it writes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from repository import ROOT

from pdt_annotate import cli

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(3, width)

    def forward(self, x):
        return self.linear(x)


def gate(x):
    return x if x.sum() > 0 else -x
"""

SPEC = """\
version: 1
mode: eval
model: {kwargs: {width: 4}}
calls:
  - args: [{tensor: [2, 3]}]
  - args: [{tensor: [5, 3]}]
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in which the command runs; the file goes to another folder."""
    for name, text in {"model.py": MODEL, "spec.yaml": SPEC}.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_file_runs_by_itself(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = project / "out" / "export_net.py"
    assert cli.main(["captures", "model.py:Net", "-i", "spec.yaml", "--emit", "export", "-o", "out/export_net.py"]) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "wrote out/export_net.py; the exported program answers like eager mode on 2 example calls" in captured.err
    assert "    pdt-annotate captures model.py:Net -i spec.yaml --emit export -o" in file.read_text()
    saved = project / "net.pt2"
    subprocess.run([sys.executable, str(file), str(saved)], cwd="/", check=True)
    program = torch.export.load(saved).module()
    assert program(torch.ones(4, 3)).shape == (4, 4)


def test_the_page_shows_what_is_written(project: Path) -> None:
    page = (ROOT / "docs/export.md").read_text()
    files = dict(re.findall(r"<!-- export: (\S+) -->\n```python\n(.*?)```\n", page, re.DOTALL))
    expected = files.pop("export_net.py")
    for name, text in files.items():
        (project / name).write_text(text)
    assert cli.main(["captures", "net:Net", "-i", "inputs.py", "--emit", "export", "-o", "export_net.py"]) == 0
    written = (project / "export_net.py").read_text()
    assert written == expected.replace("torch 2.13.0+cpu", f"torch {torch.__version__}")


def test_nothing_is_written_where_torch_refuses(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(project.rglob("*.py"))
    code = cli.main(["captures", "model.py:gate", "-a", "f32[2]", "--emit", "export", "-o", "out/x.py"])
    assert code == 3
    assert sorted(project.rglob("*.py")) == before
    assert "error: torch.export does not take model.py:gate: " in capsys.readouterr().err


def test_one_file_is_for_one_target(capsys: pytest.CaptureFixture[str]) -> None:
    command = ["captures", "model.py:Net", "model.py:gate", "-i", "spec.yaml", "--emit", "export", "-o", "out/x.py"]
    assert cli.main(command) == 2
    assert "name one target" in capsys.readouterr().err
