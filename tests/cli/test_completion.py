"""Completion: the suggestions, and that the shells call the tool."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tool import run, write

from pdt_annotate import cli

MODEL = """\
class Net:
    def __init__(self): pass
    def forward(self): pass

class Other: pass

def make_net(): pass
"""

BASH = """\
eval "$(pdt-annotate completion bash)"
COMP_LINE="$1"; COMP_POINT=${#1}; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); COMPREPLY=()
_pdt_annotate_completion pdt-annotate
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = "pdt-annotate completion fish | source; complete -C $argv[1]"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    files = {
        "mymodel.py": MODEL,
        "src/pkg/__init__.py": "",
        "src/pkg/nets.py": MODEL,
        "broken.py": "def (",
        "calls.py": 'example_inputs = [Call((x,), name="small"), (y,)]\n',
        "calls.yaml": "calls:\n  - {name: big, repeat: 2}\n",
        ".venv/hidden.py": "",
    }
    return write(tmp_path, files)


Ask = Callable[[str], list[str]]


@pytest.fixture
def ask(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """The suggestions of the tool for bash in the project."""
    monkeypatch.chdir(project)
    monkeypatch.setattr(sys, "argv", ["pdt-annotate"])

    def answer(line: str) -> list[str]:
        words = line.split(" ")
        said = {"LINE": line, "POINT": str(len(line)), "WORDS": "\n".join(words), "CWORD": str(len(words) - 1)}
        for name, value in said.items():
            monkeypatch.setenv(f"COMP_{name}", value)
        monkeypatch.setenv("_PDT_ANNOTATE_COMPLETE", "bash_complete")
        with pytest.raises(SystemExit):
            cli.main([])
        return [each.removeprefix("plain,") for each in capsys.readouterr().out.splitlines() if each]

    return answer


def complete(shell: str, line: str, project: Path) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}: install {shell}")
    command = {"bash": ["bash", "-c", BASH, "bash", line], "fish": ["fish", "-c", FISH, line]}[shell]
    env = os.environ | {"PATH": os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"]))}
    done = subprocess.run(command, cwd=project, env=env, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.splitlines()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("pdt-annotate broken:", []),
        ("pdt-annotate nowhere:N", []),
        ("pdt-annotate mymodel:", ["Net ", "Net.forward ", "Other ", "make_net "]),
        ("pdt-annotate mymodel:Net --returns ", ["needed ", "all ", "none "]),
        ("pdt-annotate captures mymodel:Net --ways ex", ["export ", "export-dynamic "]),
        ("pdt-annotate captures mymodel:Net --require export,mak", ["export,make_fx "]),
        (
            "pdt-annotate graph mymodel:Net --of frozen-t",
            ["frozen-trace ", "frozen-trace-adapted ", "frozen-trace-mixed "],
        ),
        ("pdt-annotate graph mymodel:Net -i calls.yaml --call b", ["big[1] ", "big[2] "]),
        ("pdt-annotate mymodel:Net -i calls.py:ex", ["example_inputs "]),
        ("pdt-annotate mymodel:Net --mend ", ["exact ", "frozen ", "all "]),
        ("pdt-annotate explain pdt00", [f"PDT00{number} " for number in range(1, 9)]),
        ("pdt-annotate my", ["mymodel:", "mymodel.py:"]),
        ("pdt-annotate mymodel.py:Net.f", ["Net.forward "]),
        ("pdt-annotate verify pkg.nets:m", ["make_net "]),
        ("pdt-annotate src/pkg/n", ["src/pkg/nets.py:"]),
        ("pdt-annotate mymodel:Net --write", ["--write-partial "]),
        ("pdt-annotate --write", ["--write-partial "]),
        ("pdt-annotate expl", ["explain "]),
        ("pdt-annotate hid", []),
    ],
)
def test_what_is_answered(line: str, expected: list[str], ask: Ask) -> None:
    assert ask(line) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_without_words_nothing_is_completed(shell: str, tmp_path: Path) -> None:
    done = run(tmp_path, _PDT_ANNOTATE_COMPLETE=f"{shell}_complete")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_bash_and_fish(project: Path) -> None:
    line = "pdt-annotate graph mymodel:Net -i calls.py --call "
    assert [found for found in complete("bash", line, project) if found] == ["small ", "call\\ 2 "]
    found = complete("fish", "pdt-annotate mymodel:N", project)
    assert [each for each in found if each.startswith("mymodel:")] == ["mymodel:Net", "mymodel:Net.forward"]


def test_what_is_configured_comes_first(project: Path, ask: Ask) -> None:
    (project / "inputs.py").write_text("example_inputs = [()]\n")
    table = '[[tool.pdt-annotate.targets]]\ntarget = "mymodel:make_net"\ninputs = "inputs.py"\n'
    (project / "pyproject.toml").write_text(table)
    assert ask("pdt-annotate my") == ["mymodel:make_net ", "mymodel:", "mymodel.py:"]
    assert ask("pdt-annotate mymodel:m") == ["make_net "]
    (project / "pyproject.toml").write_text("[tool.pdt-annotate]\nno = 1\n")
    assert ask("pdt-annotate my") == ["mymodel:", "mymodel.py:"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts_are_of_their_shell(shell: str, tmp_path: Path) -> None:
    done = run(tmp_path, "completion", shell)
    assert "_PDT_ANNOTATE_COMPLETE" in done.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)
