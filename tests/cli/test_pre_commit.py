"""The hooks of `.pre-commit-hooks.yaml` in a user's repository, run by pre-commit itself."""

import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from environments import is_of_the_tool, make_environment
from repository import ROOT
from tool import write

from pdt_annotate import api

pytest.importorskip("pre_commit", reason="there is no pre-commit, which the extra `dev` installs")

BARE = "import torch\nfrom helper import scale\n\n\ndef net(x, k):\n    return scale(x, k)\n"
ANNOTATED = BARE.replace("x, k):", "x: torch.Tensor, k: int):")

PROJECT = {
    "net.py": BARE,
    "helper.py": "def scale(x, k: int):\n    return x * k\n",
    "inputs.py": "import torch\n\nexample_inputs = [(torch.ones(2), 3)]\n",
    "other.py": "X = 1\n",
    "pyproject.toml": """\
[tool.pdt-annotate]
no-probe = true

[[tool.pdt-annotate.targets]]
target = "net:net"
inputs = "inputs.py"
""",
}


ALARM = """\
import os
import sys


def note(event, args):
    if event == "import" and args[0] in ("click", "libcst", "rich", "torch"):
        with open(os.environ["HEARD"], "a") as file:
            file.write(f"{args[0]} ")


sys.addaudithook(note)
"""
COMMAND = "#!%s\nimport sys\nfrom pdt_annotate.__main__ import main\nsys.exit(main())\n"


def make_command(directory: Path, python: str) -> str:
    """A PATH that begins with a directory that contains the command, as an installation writes it."""
    write(directory, {"pdt-annotate": COMMAND % python})
    (directory / "pdt-annotate").chmod(0o755)
    return os.pathsep.join((str(directory), os.environ["PATH"]))


@dataclass
class Repository:
    """A user's repository in which pre-commit is installed."""

    path: Path
    environment: Mapping[str, str]

    def git(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["git", *words], cwd=self.path, env=self.environment, capture_output=True, text=True, check=False
        )

    def commit(self, **sources: str) -> subprocess.CompletedProcess[str]:
        """Write the sources, add all files, and commit them."""
        write(self.path, {f"{name}.py": source for name, source in sources.items()})
        self.git("add", "--all")
        return self.git("commit", "--quiet", "--message", "a commit")

    def read(self, name: str) -> str:
        return (self.path / name).read_text()

    def heard(self) -> set[str]:
        """The modules among click, libcst, rich and torch that any process has imported since the last call."""
        file = Path(self.environment["HEARD"])
        names = set(file.read_text().split()) if file.exists() else set()
        file.unlink(missing_ok=True)
        return names


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of git, pre-commit and the tool's command. Imports of heavy modules are recorded."""
    write(tmp_path, {"alarm/sitecustomize.py": ALARM})
    return {
        "PATH": make_command(tmp_path / "bin", sys.executable),
        "PYTHONPATH": os.pathsep.join((str(tmp_path / "alarm"), str(ROOT))),
        "HEARD": str(tmp_path / "heard"),
        "XDG_CACHE_HOME": str(tmp_path / "caches"),
        "HOME": str(tmp_path),
        "PRE_COMMIT_HOME": str(tmp_path / "pre-commit"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        **{f"GIT_{who}_{what}": "someone@example.com" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
    }


def make_repository(tmp_path: Path, environment: Mapping[str, str], hook: str) -> Repository:
    """The project without commits, with one of our hooks in its configuration."""
    hooks = Repository(tmp_path / "hooks", environment)
    hooks.path.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks.path)
    hooks.git("init", "--quiet")
    assert hooks.commit().returncode == 0
    revision = hooks.git("rev-parse", "HEAD").stdout.strip()

    project = Repository(tmp_path / "project", environment)
    project.path.mkdir()
    write(project.path, PROJECT)
    config = f"repos:\n- repo: {hooks.path}\n  rev: {revision}\n  hooks:\n" + textwrap.indent(hook, "  ")
    write(project.path, {".pre-commit-config.yaml": config, ".gitignore": "__pycache__/\n"})
    project.git("init", "--quiet")
    installed = subprocess.run(
        [sys.executable, "-m", "pre_commit", "install"], cwd=project.path, env=environment, stdout=subprocess.DEVNULL
    )
    assert installed.returncode == 0
    return project


def test_a_commit_waits_for_annotations(tmp_path: Path, environment: dict[str, str]) -> None:
    project = make_repository(tmp_path, environment, "- id: pdt-annotate\n  language: system\n")

    blocked = project.commit()
    assert blocked.returncode != 0
    assert "files were modified by this hook" in blocked.stderr
    assert "`git add` the files, and commit again" in blocked.stderr
    assert project.read("net.py") == ANNOTATED
    assert "torch" in project.heard()

    assert project.commit().returncode == 0, "the state as it was written is verified"
    assert not project.heard() & {"torch", "libcst", "rich"}
    assert not project.git("status", "--porcelain").stdout, "the cache is in no commit"

    unrelated = project.commit(other="X = 2\n")
    assert unrelated.returncode == 0, unrelated.stderr
    assert not project.heard(), "an answer does not even import click"


def test_a_profile_is_checked_where_there_is_no_torch(tmp_path: Path, environment: dict[str, str]) -> None:
    hook = "- id: pdt-annotate-check\n  language: system\n  args: [--profile, net.sqlite]\n"
    project = make_repository(tmp_path, environment, hook)
    root = str(project.path)
    api.observe(f"{root}/net.py:net", f"{root}/inputs.py", root=root, save_profile=f"{root}/net.sqlite")
    make_environment(tmp_path / "isolated", is_of_the_tool)
    environment["PATH"] = make_command(tmp_path / "isolated/bin", str(tmp_path / "isolated/bin/python"))

    blocked = project.commit()
    assert blocked.returncode != 0
    assert "`pdt-annotate --profile net.sqlite` writes the annotations that the profile shows" in blocked.stderr
    assert "torch" not in project.heard()

    helper = "def scale(x: 'torch.Tensor', k: int):\n    return x * k\n"
    assert project.commit(net=ANNOTATED, helper=helper, other="X = 3\n").returncode == 0
    assert "torch" not in project.heard()
