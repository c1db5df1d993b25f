"""Every command line in README.md and docs/ runs, in a project such as the pages speak of."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import doc_commands
import pytest
import warm_interpreters

FILES = {
    "mymodel.py": """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 3)

    def forward(self, x, mask=None, depth=2):
        for _ in range(depth):
            x = self.lin(x)
        return x if mask is None else x * mask


def make_net():
    return Net()
""",
    "inputs.py": """\
import torch

from pdt_annotate import Call


def calls():
    yield Call(args=(torch.randn(2, 3),))
    yield Call(args=(torch.randn(2, 3),), kwargs={"mask": torch.ones(2, 3)}, name="masked")
    yield Call(args=(torch.randn(9, 3),), name="longer", held_back=True)
""",
    "inputs.yaml": "calls:\n  - args: [{tensor: [2, 3]}]\n  - args: [{tensor: [2, 3]}, {tensor: [2, 3]}]\n",
    "train.py": "import torch\n\nimport mymodel\n\nmymodel.Net()(torch.ones(2, 3))\n",
    "package/__init__.py": "",
    "package/train.py": "import torch\n\nimport mymodel\n\nmymodel.Net()(torch.ones(2, 3))\n",
    "conftest.py": "",
    "tests/test_net.py": "import torch\n\nimport mymodel\n\n\ndef test_net():\n    mymodel.Net()(torch.ones(2, 3))\n",
    "typed/manifest.json": '{"format": "pdt-annotate overlay", "version": 1, "files": []}\n',
    "pyproject.toml": """\
[project]
name = "mine"
version = "1"

[tool.pdt-annotate]
returns = "needed"

[[tool.pdt-annotate.targets]]
target = "mymodel:Net"
inputs = "inputs.py"
""",
    "ci/pyproject.toml": """\
[[tool.pdt-annotate.targets]]
target = "../mymodel.py:Net"
inputs = "../inputs.py"
""",
    ".gitignore": "__pycache__/\n",
}

ELSEWHERE = {
    r"^make (demo|test)\b": "they make an environment; CI runs them",
    r"^(\S*pip|pipx|uv|uvx) |^python3 -m venv": "it installs",
    r"^\.\./pdt-annotate/\.venv/": "make demo makes that environment",
    r"torch\.jit\.script\(mymodel\.Net\(\)\)": "it scripts what the command before has annotated",
    r"pdt-annotate model\.py:VoiceDetector": "test_pages.py runs it on the fixture",
    r"pdt-annotate captures \S+ -i \S+$": "every way of capturing takes half a minute; test_captures.py runs some",
    r"^python benchmarks/": "it takes a quarter of an hour, for the figures of the page",
    r"--python \.venv": "tests/cli/interpreters makes an environment; test_interpreter.py runs it there",
    r"--from-profile": "it drafts the inputs.py that is there; tests/cli/flows runs it where there is none",
    r"--interactive": "it asks a person; test_cli_interactive.py answers in a terminal",
}
"""Commands that are not run here, with the reason."""

CODES = {r"--check": 1, r"pdt-annotate verify": 3}
"""Exit codes other than 0, for a project without annotations."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where a shell finds the tool, and the programs of this environment."""
    tool = warm_interpreters.make_command(tmp_path_factory.mktemp("bin"))
    return os.pathsep.join((str(tool), os.path.dirname(sys.executable), os.environ["PATH"]))


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, path: str) -> Path:
    """The project, with the profiles that pages speak of."""
    folder = tmp_path_factory.mktemp("original") / "project"
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    done = run("pdt-annotate observe mymodel:Net -i inputs.py --save-profile net.sqlite", folder, path)
    assert done.returncode == 0, done.stderr
    (folder / "ranks").mkdir()
    for name in ("pdt-profile.sqlite", "ranks/0.sqlite", "ranks.sqlite", "monkeytype.sqlite3"):
        shutil.copy(folder / "net.sqlite", folder / name)
    return folder


def run(command: str, folder: Path, path: str) -> subprocess.CompletedProcess[str]:
    shell = ["bash", "-o", "pipefail", "-c", command]
    return subprocess.run(
        shell, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
    )


def is_run_elsewhere(command: str) -> bool:
    return any(re.search(pattern, command) for pattern in ELSEWHERE)


HERE = [(page, command) for page, command in doc_commands.commands() if not is_run_elsewhere(command)]


@pytest.mark.parametrize(("page", "command"), HERE, ids=[f"{page}: {command}" for page, command in HERE])
def test_command(page: str, command: str, original: Path, path: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(original, tmp_path / "project"))
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    expected = next((code for pattern, code in CODES.items() if re.search(pattern, command)), 0)
    done = run(command, folder, path)
    assert done.returncode == expected, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("pattern", ELSEWHERE)
def test_what_is_left_out_is_there(pattern: str) -> None:
    assert any(re.search(pattern, command) for _, command in doc_commands.commands())
