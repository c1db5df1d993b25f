"""What is wrong with a command is told before any process imports torch, in the words that running it would have."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import import_alarm
import pytest

from pdt_annotate.inputs import specs
from pdt_annotate.inputs.target import spec_source
from pdt_annotate.values.errors import SpecError

FILES = {
    "pyproject.toml": "",
    "model.py": "def f(x, n):\n    return x * n\n",
    "spec.py": "import torch\nexample_inputs = [(torch.ones(2), 2)]\n",
    "broken.yaml": "calls:\n  - args: [1\n  - args: [2]\n",
    "twice.yaml": "calls: []\ncalls: []\n",
    "empty.yaml": "",
    "unknown.yaml": "calls:\n  - args: [1]\n    kwarg: {n: 2}\n",
    "good.yaml": "calls:\n  - args: [{tensor: [2]}, 2]\n",
    "spec.txt": "",
    "notes.sqlite": "no database",
}


CALL = ("-a", "f32[2]", "-a", "2")


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return import_alarm.set_up(tmp_path_factory.mktemp("environment"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(project: Path, environment: Mapping[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = ["pdt-annotate", *words]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_what_is_right_is_run(project: Path, environment: dict[str, str]) -> None:
    done = run(project, environment, "model.py:f", "--diff", *CALL)
    assert done.returncode == 0, done.stderr
    assert "torch" in import_alarm.heard(environment)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--no-such-option",), "No such option"),
        (("model.f", *CALL), "did you mean model:f?"),
        (("mdoel.py:f", *CALL), "there is no file mdoel.py\n  hint: did you mean model.py?"),
        (("missing:f", *CALL), "there is no module 'missing'\n  hint: looked in"),
        (("model.py:ff", *CALL), "the module 'model' has no 'ff'\n  hint: did you mean f?"),
        (("verify", "model:ff", *CALL), "the module 'model' has no 'ff'"),
        (("observe", "model:ff", *CALL, "--save-profile", "p.sqlite"), "the module 'model' has no 'ff'"),
        (("model:f", "model:ff", *CALL), "the module 'model' has no 'ff'"),
        (("model:f", *CALL, "--profile", "notes.sqlite"), "this is not a profile"),
        (("model:f", *CALL, "--save-profile", "model.py"), "cannot be saved over a file that is no profile"),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, tuple) else "",
)
def test_a_fault_of_the_command(words: tuple[str, ...], said: str, project: Path, environment: dict[str, str]) -> None:
    done = run(project, environment, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert "torch" not in import_alarm.heard(environment)


@pytest.mark.parametrize(
    "given",
    [
        ("-i", "missing.py"),
        ("-i", "spec.txt"),
        ("-i", "spec.py:other"),
        ("-i", "broken.yaml"),
        ("-i", "twice.yaml"),
        ("-i", "empty.yaml"),
        ("-i", "unknown.yaml"),
        ("-i", "good.yaml:name"),
        ("-a", "[1"),
        ("-a", "f32[-1]"),
        ("-a", "f33[2]"),
        ("-a", "n=1", "-a", "n=2"),
    ],
    ids=" ".join,
)
def test_a_fault_of_the_spec(given: tuple[str, ...], project: Path, environment: dict[str, str]) -> None:
    inputs = "".join(value for option, value in zip(given[::2], given[1::2], strict=True) if option == "-i")
    with pytest.raises(SpecError) as caught:
        specs.read(spec_source(inputs, () if inputs else given[1::2]))
    error = caught.value
    place = f"  at {str(error.place).removeprefix(f'{project}{os.sep}')}\n" if error.file else ""
    hint = f"  hint: {error.hint.replace('mymodel:Net', 'model:f')}\n" if error.hint else ""
    done = run(project, environment, "model:f", *given)
    assert (done.returncode, done.stderr) == (2, f"error: {error.message}\n{place}{hint}")
    assert "torch" not in import_alarm.heard(environment)
