"""`captures` from outside: what is shown, required and written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT
from schemas import CAPTURES_VALIDATOR

MODEL = """\
import torch


class Gate(torch.nn.Module):
    def forward(self, x, steps):
        for _ in range(steps):
            x = x * 2 if x.sum() > 0 else x - 1
        return x
"""

SPEC = """\
import torch

from pdt_annotate import Call

example_inputs = [
    Call((torch.ones(2), 2)),
    Call((torch.zeros(2), 2), name="zeros", held_back=True),
]
"""

PROJECT = """\
[tool.pdt-annotate]
ways = "script,trace"

[[tool.pdt-annotate.targets]]
target = "model.py:Gate"
inputs = "spec.py"
require = "script"

[[tool.pdt-annotate.targets]]
target = "plain.py:double"
arg = "f32[2]"
require = "trace"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "model.py").write_text(MODEL)
    (tmp_path / "spec.py").write_text(SPEC)
    (tmp_path / "plain.py").write_text("def double(x):\n    return x * 2\n")
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pdt_annotate", "captures", *arguments]
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR")}
    env = kept | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_what_is_shown_and_required(project: Path) -> None:
    given = ("model.py:Gate", "-i", "spec.py", "--ways", "script,trace")
    done = run(project, *given, "--require", "script,trace", "--json", "out.json", "--html", "out.html")
    assert done.returncode == 1, done.stderr
    rows = {line.split(" ")[0]: line.split() for line in done.stdout.splitlines()}
    assert rows["script"][1:5] == ["\N{EN DASH}", "refused", "✓", "same"]
    assert not [line for line in done.stdout.splitlines() if line != line.rstrip()]
    (unmet,) = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert unmet.startswith("error: trace, required, fails model.py:Gate as annotated: ")
    document = json.loads((project / "out.json").read_text())
    CAPTURES_VALIDATOR.validate(document)
    versions = document["targets"][0]["versions"]
    assert [each["captures"][0]["fate"] for each in versions] == ["refused", "same"]
    assert versions[0]["captures"][0]["failure"]["file"] == "model.py"
    assert "as annotated" in (project / "out.html").read_text().lower()
    assert (project / "model.py").read_text() == MODEL


def test_what_is_required_of_each_configured_target(project: Path) -> None:
    (project / "pyproject.toml").write_text(PROJECT)
    done = run(project, "--json", "-", "-j", "2")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    CAPTURES_VALIDATOR.validate(document)
    assert [each["target"] for each in document["targets"]] == ["model.py:Gate", "plain.py:double"]
    assert [each["required"][0]["way"] for target in document["targets"] for each in target["versions"][-1:]] == [
        "script",
        "trace",
    ]
    assert "== plain.py:double" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--require", "exprot"), "did you mean export"),
        (("--ways", "script", "--html", "plain.py/out.html"), "--html cannot be written: Not a directory"),
    ],
)
def test_what_will_not_do_is_told_before_anything_runs(project: Path, arguments: tuple[str, ...], said: str) -> None:
    (project / "plain.py").write_text("print('run')\n\ndef double(x):\n    return x\n")
    done = run(project, "plain.py:double", "-a", "f32[2]", *arguments)
    assert done.returncode == 2
    assert said in done.stderr and "run\n" not in done.stderr
