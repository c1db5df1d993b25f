"""`captures --emit trace-mend`, as a shell runs it: the diff applies, and asked again there is nothing left to do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

MODEL = """
    import torch
    from torch import nn


    class Gate(nn.Module):
        def forward(self, x):
            if x.sum() > 0:
                return x * 2
            return x
"""

SPEC = """
    import torch

    example_inputs = [(torch.ones(2),), (-torch.ones(3),)]
"""


def emit(folder: Path, name: str, *options: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "pdt_annotate", "captures", f"model.py:{name}", "-i", "spec.py"]
    return subprocess.run([*command, "--emit", "trace-mend", *options], cwd=folder, capture_output=True, check=False)


def test_the_diff_applies_and_is_all_that_was_to_do(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(dedent(MODEL).lstrip())
    (tmp_path / "spec.py").write_text(dedent(SPEC))
    (tmp_path / "pyproject.toml").write_text("")
    first = emit(tmp_path, "Gate", "-o", "trace.diff")
    assert (first.returncode, first.stdout) == (0, b"") and b"wrote trace.diff" in first.stderr
    subprocess.run(["git", "apply", "trace.diff"], cwd=tmp_path, check=True)
    assert "        return _forward_branch(x)\n" in (tmp_path / "model.py").read_text()
    again = emit(tmp_path, "Gate")
    assert (again.returncode, again.stdout) == (0, b"")
    assert b"nothing need be compiled while tracing" in again.stderr


def test_where_nothing_helps_it_exits_1(tmp_path: Path) -> None:
    source = (
        MODEL.replace("return x * 2", "return self.double(x)")
        + "\n        def double(self, x):\n            return x * 2\n"
    )
    (tmp_path / "model.py").write_text(dedent(source).lstrip())
    (tmp_path / "spec.py").write_text(dedent(SPEC))
    done = emit(tmp_path, "Gate")
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"PDT088" in done.stderr and b"it calls `self.double`" in done.stderr
