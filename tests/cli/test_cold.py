"""The command and `script()` in new interpreters, in a suite that otherwise forks warm ones."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import tool
import warm_interpreters
from environments import is_of_torch, make_environment
from repository import ROOT
from tool import write

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
    "inputs.yaml": "calls:\n  - args: [{tensor: [2]}, 3]\n  - args: [{tensor: [2]}, 3, {tensor: [2]}]\n",
    "wrong.py": "import torch\n\nexample_inputs = [(torch.ones(2), 3), (torch.ones(2), {'n': 3})]\n",
    "raises.py": "example_inputs = [(1 / 0,)]\n",
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
RUN = ("net.py:Net", "-i", "inputs.py")


@pytest.fixture(autouse=True)
def new_interpreters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "Popen", warm_interpreters.SystemPopen)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def test_the_first_run_annotates_and_the_second_is_answered(project: Path) -> None:
    first = tool.run(project, *RUN)
    assert (first.returncode, first.stdout) == (0, ""), first.stderr
    assert HEAD in (project / "net.py").read_text()
    assert "wrote 3 annotations into 1 file; the scripted model answers like eager on 2 calls" in first.stderr
    second = tool.run(project, *RUN)
    assert (second.returncode, "(unchanged since)" in second.stderr) == (0, True), second.stderr


def test_a_program_scripts_what_has_no_annotations(project: Path) -> None:
    env = {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "use.py"], cwd=project, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    signature = "forward(__torch__.net.Net self, Tensor x, int times, Tensor? mask=None) -> Tensor"
    assert done.stdout == f"{signature} [2.0]\n"
    assert (project / "net.py").read_text() == write(project / "again", FILES).joinpath("net.py").read_text()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("raises.py", "ZeroDivisionError: division by zero\n  at raises.py:1"),
        ("wrong.py", "error: call 2 raised: TypeError: "),
    ],
)
def test_a_spec_that_fails_is_the_users_error(spec: str, said: str, project: Path) -> None:
    done = tool.run(project, "net.py:Net", "-i", spec)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert said in done.stderr and "Traceback" not in done.stderr
    assert HEAD not in (project / "net.py").read_text()


def test_the_model_runs_in_the_environment_that_is_named(project: Path) -> None:
    packages = make_environment(project / "model", is_of_torch)
    write(packages, {"only_there.py": "from torch import zeros\n"})
    write(project, {"net.py": "import only_there\n" + (project / "net.py").read_text()})
    done = tool.run(project, "net.py:Net", "-i", "inputs.yaml", "--python", "model", "--no-probe")
    assert done.returncode == 0, done.stderr
    assert HEAD in (project / "net.py").read_text()
