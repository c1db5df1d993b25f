"""Findings that are not to be shown, from outside: the baseline of two targets, and what is new and gone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PYPROJECT = """\
[tool.pdt-annotate]
arg = ["f32[2]"]
baseline = "ci/known.json"

[[tool.pdt-annotate.targets]]
target = "one.py:f"

[[tool.pdt-annotate.targets]]
target = "two.py:f"
"""
SOURCE = "def f(x, mask=None):\n    return x\n"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pdt_annotate", "--check", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_baseline_from_the_first_run_to_the_last(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    (tmp_path / "ci").mkdir()
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(SOURCE)
    lacking = run(tmp_path)
    assert lacking.returncode == 2 and "--update-baseline writes it" in lacking.stderr
    first = run(tmp_path, "--update-baseline")
    assert first.returncode == 1 and "known.json: 2 findings known from now on" in first.stderr
    assert [each["file"] for each in json.loads((tmp_path / "ci" / "known.json").read_text())["findings"]] == [
        "../one.py",
        "../two.py",
    ]
    (tmp_path / "one.py").write_text("import os\n\n\n" + SOURCE)
    (tmp_path / "two.py").write_text(SOURCE.replace("mask", "other"))
    second = run(tmp_path, "--output-format", "json")
    document = json.loads(second.stdout)
    assert second.returncode == 1, "annotations that are missing are no finding"
    assert [each["finding"]["file"] for each in document["ignored"]] == ["one.py"]
    assert [(each["code"], each["message"]) for each in document["findings"] if each["file"] != "two.py"] == [
        ("PDT079", "1 finding of the baseline is gone")
    ]
    assert {each["code"] for each in document["findings"] if each["file"] == "two.py"} == {"PDT030"}
