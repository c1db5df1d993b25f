"""The command and `script()` in new interpreters, in a suite that otherwise forks warm ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import warm_interpreters
from repository import ROOT
from tool import run, write

FILES = {
    "net.py": """
        import torch


        class Net(torch.nn.Module):
            def forward(self, x, times, mask=None):
                return x * times if mask is None else x * mask
    """,
    "inputs.py": """
        import torch

        example_inputs = [(torch.ones(2), 3), (torch.ones(2), 3, torch.zeros(2))]
    """,
    "use.py": """
        import torch

        import net
        import pdt_annotate

        if __name__ == "__main__":
            scripted = pdt_annotate.script(net.Net(), [(torch.ones(2), 3), (torch.ones(2), 3, torch.zeros(2))])
            print(scripted.forward.schema, scripted(torch.ones(1), 2).tolist())
    """,
}
HEAD = "def forward(self, x: torch.Tensor, times: int, mask: Optional[torch.Tensor] = None):"
RUN = ("net.py:Net", "-i", "inputs.py", "--no-probe")


@pytest.fixture(autouse=True)
def new_interpreters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", warm_interpreters.SystemPopen)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def test_the_first_run_annotates_and_the_second_is_answered(project: Path) -> None:
    first = run(project, *RUN)
    assert (first.returncode, first.stdout) == (0, ""), first.stderr
    assert HEAD in (project / "net.py").read_text()
    assert "wrote 3 annotations into 1 file; the scripted model answers like eager on 2 calls" in first.stderr
    second = run(project, *RUN)
    assert (second.returncode, "(unchanged since)" in second.stderr) == (0, True), second.stderr


def test_a_program_scripts_what_has_no_annotations(project: Path) -> None:
    env = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "use.py"], cwd=project, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    signature = "forward(__torch__.net.Net self, Tensor x, int times, Tensor? mask=None) -> Tensor"
    assert done.stdout == f"{signature} [2.0]\n"
    assert (project / "net.py").read_text() == write(project / "again", FILES).joinpath("net.py").read_text()
