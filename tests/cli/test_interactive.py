"""`--interactive` as a process in a real terminal: keys, the editor, interrupts, and the written files."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT

pytest.importorskip("fcntl", reason="there are no terminals of this kind where there is no fork")
from terminal import Terminal
from tool import write

MODEL = """\
import torch
from torch import nn


def scale(x, factor):
    return x * factor


class Net(nn.Module):
    def forward(self, x):
        return scale(x, 2)
"""
SCALE = MODEL.replace("def scale(x, factor)", "def scale(x: torch.Tensor, factor: int)")
FORWARD = MODEL.replace("forward(self, x)", "forward(self, x: torch.Tensor)")
ALL = SCALE.replace("forward(self, x)", "forward(self, x: torch.Tensor)")
NO_PROBE = "[tool.pdt-annotate]\nno-probe = true\n"
INPUTS = "import torch\n\nexample_inputs = [(torch.randn(2, 3),)]\n"

TOOL = [sys.executable, "-m", "pdt_annotate"]
ENV = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
RUN = ["net.py:Net", "-i", "inputs.py"]
PROFILE = ["--profile", "net.sqlite"]
"""Earlier observations. Nothing is run, so the tests are quick."""

ASKED = ",?] "
SPINNER = tuple(map(chr, range(0x2800, 0x2900)))
"""Braille patterns."""
NOT_A_TERMINAL = "run it in a terminal"


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The profile of the model."""
    folder = make_project(tmp_path_factory.mktemp("observed"))
    subprocess.run([*TOOL, "observe", *RUN, "--save-profile", "net.sqlite"], cwd=folder, env=ENV, check=True)
    return folder / "net.sqlite"


@pytest.fixture
def project(tmp_path: Path, observed: Path) -> Path:
    (tmp_path / "net.sqlite").write_bytes(observed.read_bytes())
    return make_project(tmp_path)


def make_project(folder: Path) -> Path:
    return write(folder, {"net.py": MODEL, "inputs.py": INPUTS, "pyproject.toml": NO_PROBE})


def drive(project: Path, keys: str, *options: str, env: dict[str, str] | None = None) -> tuple[int, Terminal]:
    """Press each key after the next question appears, and return the exit code."""
    with Terminal([*TOOL, *options, "--interactive"], project, ENV | (env or {})) as terminal:
        for key in keys:
            terminal.press(key, after=ASKED)
        return terminal.finish(), terminal


@pytest.mark.parametrize("key", ["\x03", "\x04"], ids=["Ctrl-C", "Ctrl-D"])
def test_interrupted_nothing_is_written(project: Path, key: str) -> None:
    code, terminal = drive(project, f"y{key}", *PROFILE)
    assert code == 130
    assert "interrupted; nothing was written" in terminal.text
    assert (project / "net.py").read_text() == MODEL


@pytest.mark.parametrize(("keys", "source"), [("nn", MODEL), ("nbyq", SCALE), ("?a", ALL)])
def test_what_is_taken_is_written_and_nothing_else(project: Path, keys: str, source: str) -> None:
    code, terminal = drive(project, keys, *PROFILE)
    assert (code, (project / "net.py").read_text()) == (0, source), terminal.text
    said = "no annotation was accepted, so nothing was written" if source == MODEL else "wrote "
    assert said in terminal.text
    assert "\x1b[32m+def scale" in terminal.shown


def test_an_arrow_key_is_one_key_and_keys_that_are_typed_ahead_count(project: Path) -> None:
    with Terminal([*TOOL, *PROFILE, "--interactive"], project, ENV) as terminal:
        terminal.press("\x1b[A", after=ASKED)
        terminal.press("ny", after=ASKED)
        assert terminal.finish() == 0
    assert terminal.text.count("show this help") == 1
    assert (project / "net.py").read_text() == FORWARD


def test_what_is_edited_is_written_and_what_cannot_be_is_reported_and_asked_again(project: Path) -> None:
    commands = (
        "true",
        "false",
        "sed -i 's/factor: int/factor: Foo/' $1",
        "cp $1 seen; sed -i -e 's/factor: Foo/factor: float/' -e '/^x:/d' $1",
    )
    cases = "\n".join(f"{number}) {command} ;;" for number, command in enumerate(commands, 1))
    write(project, {"editor": f"#!/bin/sh\necho >> runs\ncase $(wc -l < runs) in\n{cases}\nesac\n"})
    (project / "editor").chmod(0o755)
    code, terminal = drive(project, "eeeeq", *PROFILE, env={"EDITOR": str(project / "editor")})
    assert code == 0, terminal.text
    for said in ("the text was not saved", "Editing failed", "`Foo` is not a TorchScript type"):
        assert said in terminal.text
    assert "\nx: Tensor\n" in (project / "seen").read_text()
    assert (project / "net.py").read_text() == MODEL.replace("scale(x, factor)", "scale(x, factor: float)")


def test_what_does_not_verify_is_not_written_and_can_be_chosen_again(project: Path) -> None:
    code, terminal = drive(project, "nyby", *RUN)
    assert (code, (project / "net.py").read_text()) == (0, ALL), terminal.text
    assert "for argument 'factor' but instead found type 'int'" in " ".join(terminal.text.split())
    assert "the scripted model returns the same results as Python on 1 call" in terminal.text


def test_the_chosen_diff_goes_to_stdout_and_the_questions_do_not(project: Path) -> None:
    with Terminal([*TOOL, *PROFILE, "--diff", "--interactive"], project, ENV, project / "out.diff") as terminal:
        terminal.press("yq", after=ASKED)
        assert terminal.finish() == 0
    assert (project / "net.py").read_text() == MODEL
    subprocess.run(["patch", "-p1", "-i", "out.diff"], cwd=project, check=True, capture_output=True)
    assert (project / "net.py").read_text() == SCALE


@pytest.mark.parametrize(
    ("options", "hint"),
    [
        ([], NOT_A_TERMINAL),
        (["--diff"], NOT_A_TERMINAL),
        (["--check"], "--check asks nothing"),
        (["--json", "-"], "give --json a file name"),
        (["--write-partial"], "--interactive needs a result that verifies as a whole"),
    ],
)
def test_refused_where_nobody_can_answer(project: Path, options: list[str], hint: str) -> None:
    command = [*TOOL, *RUN, "--interactive", *options]
    done = subprocess.run(command, cwd=project, env=ENV, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == 2
    assert "--interactive" in done.stderr.decode()
    assert f"  hint: {hint}" in done.stderr.decode()
    assert (project / "net.py").read_text() == MODEL


def test_the_page_shows_what_the_terminal_shows(project: Path) -> None:
    page = (ROOT / "docs" / "review.md").read_text()
    shown = re.findall(r"<!-- session: ([^>]*) -->\n```\w*\n(.*?)```\n", page, re.DOTALL)
    assert [options for options, _ in shown] == ["--interactive", "--diff --explain"]
    typed, _, asked = shown[0][1].partition("\n")
    assert typed == f"$ pdt-annotate {' '.join(RUN)} --interactive"
    command = [*TOOL, *RUN, "--diff", "--explain"]
    explained = subprocess.run(command, cwd=project, env=ENV, capture_output=True, check=True)
    assert explained.stdout.decode() == shown[1][1]
    _, terminal = drive(project, "yq", *RUN)
    assert without_spinner(terminal.text) == asked


def without_spinner(text: str) -> str:
    """The lines that remain on the screen."""
    lines = (line.rpartition("\r")[2].rstrip() for line in text.split("\n"))
    return "\n".join(line for line in lines if not line.startswith(SPINNER))
