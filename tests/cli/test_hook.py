"""A check of an untrusted branch with a profile: files of the branch are read, but not run."""

import os
import subprocess
import sys
from pathlib import Path

from repository import ROOT

from pdt_annotate import api

ALARM = """\
import os
import sys


def note(event, args):
    code = getattr(args[0], "co_filename", "") if event == "exec" else ""
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork") or "/project/" in code:
        with open(os.environ["HEARD"], "a") as file:
            file.write(f"{event} {code or args}\\n")


sys.addaudithook(note)
"""
PYPROJECT = """\
[tool.pdt-annotate]
python = "./evil"
html = "page.html"

[[tool.pdt-annotate.targets]]
target = "model.py:f"
inputs = "inputs.py"

[[tool.pdt-annotate.targets]]
target = "model:f"
inputs = "inputs.py"
"""
BROUGHT = ("inputs.py", "click.py", "json.py", "tomllib.py", "conftest.py", "lib.py", "x.pth", "libcst/__init__.py")


def test_nothing_of_the_branch_runs(tmp_path: Path) -> None:
    root, alarm = tmp_path / "project", tmp_path / "alarm"
    for folder in (root / "libcst", alarm):
        folder.mkdir(parents=True)
    (alarm / "sitecustomize.py").write_text(ALARM)
    (root / "model.py").write_text("import lib\n\n\ndef f(x, k):\n    return x * k\n")
    (root / "lib.py").touch()
    api.observe(str(root / "model.py:f"), args=["f32[2]", "3"], save_profile=str(tmp_path / "net.sqlite"))
    for name in BROUGHT:
        (root / name).write_text("raise SystemExit('this ran')\n")
    (root / "pyproject.toml").write_text(PYPROJECT)
    (root / "evil").write_text("#!/bin/sh\nexit 1\n")
    (root / "evil").chmod(0o755)
    variables = {"PYTHONPATH": os.pathsep.join((str(alarm), str(ROOT))), "HEARD": str(tmp_path / "heard")}
    words = ["-m", "pdt_annotate", "hook", "--check", "--profile", str(tmp_path / "net.sqlite"), "model.py"]
    done = subprocess.run(
        [sys.executable, *words], cwd=root, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "annotations are missing" in done.stderr
    assert (root / "page.html").exists()
    assert not (tmp_path / "heard").exists(), (tmp_path / "heard").read_text()
