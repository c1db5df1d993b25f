"""The tool in an environment without torch, and the model in one that has torch and no package of the tool."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from environments import is_of_the_tool, is_of_torch, make_environment
from repository import ROOT
from tool import write

Tool = Callable[..., "subprocess.CompletedProcess[str]"]

MODEL = """\
import torch

import only_there


class Net(only_there.Module):
    def forward(self, x, k):
        return x * k
"""
ANNOTATED = MODEL.replace("x, k):", "x: torch.Tensor, k: int):")
PROJECT = {
    "net.py": MODEL,
    "inputs.py": "import torch\nfrom pdt_annotate import Call\n\ncalls = [Call((torch.ones(2), 3))]\n",
    "train.py": "import torch, net\n\nprint(net.Net()(torch.ones(2), 3))\n",
    "pyproject.toml": """\
[tool.pdt-annotate]
python = "../model"
no-probe = true

[[tool.pdt-annotate.targets]]
target = "net:Net"
inputs = "inputs.py"
""",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The two environments. The model's also has a package with our name, which must not be used."""
    place = tmp_path_factory.mktemp("two")
    make_environment(place / "tool", is_of_the_tool).joinpath("tool.pth").write_text(f"{ROOT}\n")
    packages = make_environment(place / "model", is_of_torch)
    packages.joinpath("only_there.py").write_text("from torch.nn import Module\n")
    packages.joinpath("pdt_annotate.py").write_text("raise AssertionError('another version of the tool')\n")
    return place


@pytest.fixture
def tool(place: Path, tmp_path: Path) -> Tool:
    """Runs the tool in the project, which is next to a link to the model's environment."""
    project = write(tmp_path / "project", PROJECT)
    (tmp_path / "model").symlink_to(place / "model")
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [str(place / "tool" / "bin" / "python"), "-m", "pdt_annotate", *words]
        return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)

    return run


def test_without_one_that_has_torch_nothing_is_run_and_the_option_is_named(tool: Tool, tmp_path: Path) -> None:
    (tmp_path / "project" / ".venv").symlink_to(tmp_path / "model")
    done = tool("net:Net", "-i", "inputs.py", "--isolated")
    assert done.returncode == 2
    assert done.stderr.startswith("error: there is no torch in ")
    assert "--python .venv" in done.stderr


def test_a_model_is_annotated_and_then_answered_from_the_cache(tool: Tool, tmp_path: Path) -> None:
    done = tool()
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "project" / "net.py").read_text() == ANNOTATED
    assert "unchanged since" in tool().stderr


def test_a_program_is_run_and_observed_there(tool: Tool) -> None:
    done = tool("run", "--", "train.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "tensor([3., 3.])\n"
    assert "observed 1 function" in done.stderr
