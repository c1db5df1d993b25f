"""Command lines in README.md and docs/: all are understood, and each option is run once, in a project made for it."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import warm_interpreters
from repository import ROOT
from tool import accept, write

FILES = {
    "mymodel.py": """
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
    "inputs.py": """
        import torch

        from pdt_annotate import Call


        def calls():
            yield Call(args=(torch.randn(2, 3),))
            yield Call(args=(torch.randn(2, 3),), kwargs={"mask": torch.ones(2, 3)}, name="masked")
        """,
    "train.py": "import torch\n\nimport mymodel\n\nmymodel.Net()(torch.ones(2, 3))\n",
    "pyproject.toml": """
        [project]
        name = "mine"
        version = "1"

        [tool.pdt-annotate]
        returns = "needed"
        no-probe = true

        [[tool.pdt-annotate.targets]]
        target = "mymodel:Net"
        inputs = "inputs.py"
        """,
    "ci/pyproject.toml": """
        [tool.pdt-annotate]
        no-probe = true

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
    r"pdt-annotate captures": "tests/cli has a file for each thing that it emits",
    r"pdt-annotate run ": "tests/cli/profiles/recording runs programs of every kind",
    r"^python benchmarks/": "it takes a quarter of an hour, for the figures of the page",
    r"--python \.venv": "tests/cli/interpreters makes an environment; test_interpreter.py runs it there",
    r"--from-profile": "it drafts the inputs.py that is there; tests/cli/flows runs it where there is none",
    r"^PDT_ANNOTATE_OVERLAY=": "test_third_party.py serves one",
    r"pdt-annotate graph ": "test_graph.py draws one",
    r"--interactive": "it asks a person; test_interactive.py answers in a terminal",
}
"""Commands that are not run here, with the reason."""

CODES = {r"--check": 1, r"pdt-annotate verify": 3}
"""Exit codes other than 0, for a project without annotations."""

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
FENCE = re.compile(r"^```(sh|bash|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OTHER_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
OURS = re.compile(r"^ {4}((?:PDT_ANNOTATE\w*=\S+ )?(?:pdt-annotate|python|eval|git|pre-commit)\b.*)$", re.MULTILINE)
COMMENT = re.compile(r"\s{2,}#.*$")


def commands_of(text: str) -> Iterator[str]:
    for match in FENCE.finditer(text):
        lines = match[2].replace("\\\n", "").splitlines()
        yield from (COMMENT.sub("", line) for line in lines if line.strip() and not line.startswith("#"))
    for match in OURS.finditer(OTHER_FENCE.sub("", text)):
        yield COMMENT.sub("", match[1])


SHOWN = list(dict.fromkeys(command for page in PAGES for command in commands_of(page.read_text())))


def parts_of(command: str) -> set[str]:
    """What is tried with a command: of one of ours, each option, with the name of the command."""
    words = shlex.split(command)
    if words[0] != "pdt-annotate":
        return {command}
    name = next(filter(str.isalpha, words[1:2]), "")  # without one, it is a target or an option
    return {name, *(f"{name} {word}" for word in words if word.startswith("-"))}


def chosen() -> Iterator[str]:
    """The commands to run: each tries something that none before it does."""
    tried: set[str] = set()
    for command in sorted(SHOWN, key=lambda command: -len(parts_of(command))):
        if not any(re.search(pattern, command) for pattern in ELSEWHERE) and not parts_of(command) <= tried:
            tried |= parts_of(command)
            yield command


HERE = list(chosen())


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Where a shell finds the tool, and the programs of this environment."""
    tool = warm_interpreters.make_command(tmp_path_factory.mktemp("bin"))
    return os.pathsep.join((str(tool), os.path.dirname(sys.executable), os.environ["PATH"]))


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, path: str) -> Path:
    """The project, with the profiles that pages speak of."""
    folder = write(tmp_path_factory.mktemp("original") / "project", FILES)
    done = run("git init --quiet; pdt-annotate observe mymodel:Net -i inputs.py", folder, path)
    assert done.returncode == 0, done.stderr
    (folder / "ranks").mkdir()
    for name in ("net.sqlite", "ranks/0.sqlite", "ranks.sqlite", "monkeytype.sqlite3"):
        shutil.copy(folder / "pdt-profile.sqlite", folder / name)
    return folder


def run(command: str, folder: Path, path: str) -> subprocess.CompletedProcess[str]:
    shell = ["bash", "-o", "pipefail", "-c", command]
    env = os.environ | {"PATH": path}
    return subprocess.run(shell, cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", HERE)
def test_a_command_that_is_shown_runs(command: str, original: Path, path: str, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(original, tmp_path / "project"))
    expected = next((code for pattern, code in CODES.items() if re.search(pattern, command)), 0)
    done = run(command, folder, path)
    assert done.returncode == expected, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("command", [command for command in SHOWN if command.startswith("pdt-annotate")])
def test_a_command_that_is_shown_is_understood(command: str) -> None:
    accept(shlex.split(command)[1:])


@pytest.mark.parametrize("pattern", ELSEWHERE)
def test_what_is_left_out_is_shown(pattern: str) -> None:
    assert any(re.search(pattern, command) for command in SHOWN)
