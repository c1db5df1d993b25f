"""`captures` from outside: what is shown, required and written, and what `--emit` makes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from repository import ROOT
from schemas import CAPTURES_VALIDATOR
from tool import run, write

MODEL = """
    import torch


    class Gate(torch.nn.Module):
        def forward(self, x, steps):
            for _ in range(steps):
                x = x * 2 if x.sum() > 0 else x - 1
            return x


    class Branch(torch.nn.Module):
        def forward(self, x):
            if x.sum() > 0:
                return x * 2
            return x


    class Calling(Branch):
        def forward(self, x):
            if x.sum() > 0:
                return self.double(x)
            return x

        def double(self, x):
            return x * 2
"""
FILES = {
    "model.py": MODEL,
    "spec.py": """
        import torch

        from pdt_annotate import Call

        example_inputs = [
            Call((torch.ones(2), 2)),
            Call((torch.zeros(2), 2), name="zeros", held_back=True),
        ]
        both = [(torch.ones(2),), (-torch.ones(3),)]
    """,
    "plain.py": "print('run')\n\ndef double(x):\n    return x * 2\n",
}

TARGETS = """
    [[tool.pdt-annotate.targets]]
    target = "model.py:Gate"
    inputs = "spec.py"
    ways = "script"
    require = "script"

    [[tool.pdt-annotate.targets]]
    target = "plain.py:double"
    arg = "f32[2]"
    ways = "trace"
    require = "trace"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, FILES)


def test_what_is_shown_and_required(project: Path) -> None:
    given = ("captures", "model.py:Gate", "-i", "spec.py", "--ways", "script,trace")
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
    assert (project / "model.py").read_text() == write(project / "again", FILES).joinpath("model.py").read_text()


def test_what_is_required_of_each_configured_target(project: Path) -> None:
    write(project, {"pyproject.toml": TARGETS})
    done = run(project, "captures", "--json", "-", "-j", "2")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    CAPTURES_VALIDATOR.validate(document)
    assert [each["target"] for each in document["targets"]] == ["model.py:Gate", "plain.py:double"]
    required = [each["required"][0]["way"] for target in document["targets"] for each in target["versions"][-1:]]
    assert required == ["script", "trace"]
    assert "== plain.py:double" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--require exprot", "did you mean export"),
        ("--ways script --html plain.py/out.html", "--html cannot be written: Not a directory"),
        ("plain.py:triple --emit export -o x.py", "name one target"),
    ],
)
def test_what_will_not_do_is_told_before_anything_runs(project: Path, arguments: str, said: str) -> None:
    done = run(project, "captures", "plain.py:double", "-a", "f32[2]", *arguments.split())
    assert done.returncode == 2
    assert said in done.stderr and "run\n" not in done.stderr
    assert not (project / "x.py").exists()


def test_the_page_shows_an_export_that_runs_by_itself(tmp_path: Path) -> None:
    page = (ROOT / "docs/export.md").read_text()
    files = dict(re.findall(r"<!-- export: (\S+) -->\n```python\n(.*?)```\n", page, re.DOTALL))
    expected = files.pop("export_net.py").replace("torch 2.13.0+cpu", f"torch {torch.__version__}")
    write(tmp_path, files)
    done = run(tmp_path, "captures", "net:Net", "-i", "inputs.py", "--emit", "export", "-o", "export_net.py")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "wrote export_net.py; the exported program answers like eager mode on 4 example calls" in done.stderr
    assert (tmp_path / "export_net.py").read_text() == expected
    program = tmp_path / "net.pt2"
    subprocess.run([sys.executable, tmp_path / "export_net.py", program], cwd="/", check=True)
    assert program.stat().st_size


def test_no_export_is_written_where_torch_refuses(project: Path) -> None:
    done = run(project, "captures", "model.py:Branch", "-a", "f32[2]", "--emit", "export", "-o", "x.py")
    assert done.returncode == 3 and not (project / "x.py").exists()
    assert "error: torch.export does not take model.py:Branch: " in done.stderr


TRACE_MEND = ("-i", "spec.py:both", "--emit", "trace-mend")


def test_the_diff_of_a_trace_applies_and_is_all_that_was_to_do(project: Path) -> None:
    first = run(project, "captures", "model.py:Branch", *TRACE_MEND, "-o", "trace.diff")
    assert (first.returncode, first.stdout) == (0, "") and "wrote trace.diff" in first.stderr
    subprocess.run(["git", "apply", "trace.diff"], cwd=project, check=True)
    assert "        return _forward_branch(x)\n" in (project / "model.py").read_text()
    again = run(project, "captures", "model.py:Branch", *TRACE_MEND)
    assert (again.returncode, again.stdout) == (0, "")
    assert "nothing need be compiled while tracing" in again.stderr


def test_where_nothing_helps_a_trace_it_exits_1(project: Path) -> None:
    done = run(project, "captures", "model.py:Calling", *TRACE_MEND)
    assert (done.returncode, done.stdout) == (1, "")
    assert "PDT088" in done.stderr and "it calls `self.double`" in done.stderr
