"""`--watch`: a verdict after each edit, from processes that keep running."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from repository import ROOT
from tool import run, write

MODEL = "def f(x, n: int = 2):\n    return x * n\n"
CALL = ("-a", "f32[2,3]")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path, {"model.py": MODEL})


def said(stream: Iterator[str]) -> str:
    """The output until it waits again."""
    lines = []
    for line in stream:
        if line.startswith("watching"):
            break
        lines.append(line)
    return "".join(lines)


def watching(project: Path, *words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "pdt_annotate", *words, "--no-probe", "--watch"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, cwd=project, env=environment, stderr=subprocess.PIPE, text=True)


@pytest.mark.forks
@pytest.mark.parametrize("command", [("verify", "--json", "out.json"), ("annotate", "--check")])
def test_each_edit_has_a_verdict_and_ctrl_c_ends_with_the_last(project: Path, command: tuple[str, ...]) -> None:
    with watching(project, *command, "model.py:f", *CALL) as process:
        assert process.stderr
        assert "returns the same results as Python on 1 call" in said(process.stderr)
        write(project, {"model.py": "def f(x, n: int = 2):\n    return x *\n"})
        assert "at model.py:2" in said(process.stderr)
        write(project, {"model.py": MODEL.replace("x * n", "x * max({n})")})
        assert "model.py:2" in (shown := said(process.stderr)) and "x * max({n})" in shown
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
        # A signal during the output of a line repeats this line.
        assert set(rest.splitlines()) <= {"watching for changes; Ctrl-C ends"}
    assert process.returncode == 3
    if "--json" in command:
        step = json.loads((project / "out.json").read_text())["next_step"]
        assert step["command"] == "pdt-annotate verify model.py:f -a 'f32[2,3]' --no-probe"


@pytest.mark.forks
def test_data_and_settings_count_as_sources(project: Path) -> None:
    inputs = "import torch\n\nexample_inputs = [(torch.ones(2), int(open('n.txt').read()))]\n"
    settings = '[[tool.pdt-annotate.targets]]\ntarget = "model.py:f"\ninputs = "inputs.py"\n'
    write(project, {"inputs.py": inputs, "n.txt": "3", "pyproject.toml": settings})
    with watching(project, "verify") as process:
        assert process.stderr
        assert "on 1 call" in said(process.stderr)
        write(project, {"n.txt": "three"})
        assert "inputs.py:3" in said(process.stderr)
        write(project, {"n.txt": "4", "pyproject.toml": settings + "timeuot = 3\n"})
        assert "did you mean `timeout`?" in said(process.stderr)
        process.send_signal(signal.SIGINT)
    assert process.returncode == 2


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("model.py:f", "--interactive", *CALL), "exclude each other"),
        (("--config", "two.toml"), "--watch accepts one target"),
    ],
)
def test_what_cannot_be_watched(project: Path, words: tuple[str, ...], error: str) -> None:
    entry = '[[tool.pdt-annotate.targets]]\ntarget = "model.py:f"\narg = "f32[{}]"\n'
    write(project, {"two.toml": entry.format(2) + entry.format(3).replace(":f", ":g")})
    done = run(project, *words, "--watch")
    assert done.returncode == 2 and error in done.stderr, done.stderr
