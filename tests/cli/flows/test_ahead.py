"""What is wrong with a command is told before any process is started, in the words that running it would have."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tool import write

from pdt_annotate import cli
from pdt_annotate.inputs import specs
from pdt_annotate.inputs.target import spec_source
from pdt_annotate.values.errors import SpecError

BROKEN = {
    "broken": "calls:\n  - args: [1\n  - args: [2]\n",
    "twice": "calls: []\ncalls: []\n",
    "empty": "",
    "unknown": "calls:\n  - args: [1]\n    kwarg: {n: 2}\n",
}
FILES = {
    **{f"{name}.yaml": text for name, text in BROKEN.items()},
    "pyproject.toml": "",
    "model.py": "def f(x, n):\n    return x * n\n",
    "spec.py": "import torch\nexample_inputs = [(torch.ones(2), 2)]\n",
    "good.yaml": "calls:\n  - args: [{tensor: [2]}, 2]\n",
    "spec.txt": "",
    "notes.sqlite": "no database",
}
CALL = ("-a", "f32[2]", "-a", "2")
Started = list[object]


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Started:
    """The processes that the command starts, in a project that is the working directory."""
    found: Started = []

    def start(command: object, **given: object) -> None:
        found.append(command)
        raise OSError("no process is to be started")

    write(tmp_path, FILES)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "Popen", start)
    return found


def test_what_is_right_starts_a_process(started: Started) -> None:
    cli.main(["model.py:f", "--diff", *CALL])
    assert started


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("model.f", "did you mean model:f?"),
        ("mdoel.py:f", "there is no file mdoel.py\n  hint: did you mean model.py?"),
        ("missing:f", "there is no module 'missing'\n  hint: looked in"),
        ("model.py:ff", "the module 'model' has no 'ff'\n  hint: did you mean f?"),
        ("verify model:ff", "the module 'model' has no 'ff'"),
        ("observe model:ff --save-profile p.sqlite", "the module 'model' has no 'ff'"),
        ("model:f model:ff", "the module 'model' has no 'ff'"),
        ("model:f --profile notes.sqlite", "this is not a profile"),
        ("model:f --save-profile model.py", "cannot be saved over a file that is no profile"),
    ],
)
def test_a_fault_of_the_command(words: str, said: str, started: Started, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*words.split(), *CALL]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and said in shown.err
    assert not started


SPECS = ("missing.py", "spec.txt", "spec.py:other", *(f"{name}.yaml" for name in BROKEN), "good.yaml:name")


@pytest.mark.parametrize(
    ("inputs", "args"),
    [*((inputs, ()) for inputs in SPECS), *(("", args) for args in (["[1"], ["f32[-1]"], ["f33[2]"], ["n=1", "n=2"]))],
    ids=str,
)
def test_a_fault_of_the_spec(
    inputs: str, args: list[str], started: Started, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SpecError) as caught:
        specs.read(spec_source(inputs, tuple(args)))
    error = caught.value
    place = f"  at {str(error.place).removeprefix(f'{tmp_path}{os.sep}')}\n" if error.file else ""
    hint = f"  hint: {error.hint.replace('mymodel:Net', 'model:f')}\n" if error.hint else ""
    given = [word for arg in args for word in ("-a", arg)] or ["-i", inputs]
    assert cli.main(["model:f", *given]) == 2
    assert capsys.readouterr().err == f"error: {error.message}\n{place}{hint}"
    assert not started
