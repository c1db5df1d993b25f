"""`--mend` on the command line; and errors in a command, which are reported before any process starts."""

import json
import os
import shlex
import subprocess
from pathlib import Path

import pytest
from tool import run, write

from pdt_annotate import cli
from pdt_annotate.inputs import specs
from pdt_annotate.inputs.target import spec_source
from pdt_annotate.values.errors import SpecError

BLOCK = """\
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, downsample=None):
        super().__init__()
        self.downsample = downsample
    def forward(self, x: torch.Tensor):
        if self.downsample:
            x = self.downsample(x)
        return x

class Scale(nn.Module):
    def forward(self, x, by):
        return x * by
"""
NET = """

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block(nn.Linear(4, 4))])
        self.scale = Scale()
    def forward(self, x, by):
        for block in self.blocks:
            x = block(x)
        return self.scale(x, by)
"""
HOPELESS = NET.replace("return self.scale(x, by)", "return next(iter({self.scale(x, by)}))")
MENDED = "if self.downsample is not None:"
RUN = ("net.py:Net", "-i", "inputs.py")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    inputs = "import torch\n\nexample_inputs = [(torch.ones(2, 4), 3)]\n"
    settings = "[tool.pdt-annotate]\nno-probe = true\n"
    return write(tmp_path, {"net.py": BLOCK + NET, "inputs.py": inputs, "pyproject.toml": settings})


def source(project: Path) -> str:
    return (project / "net.py").read_text()


def test_without_it_nothing_is_mended_and_the_command_that_would_is_reported(project: Path) -> None:
    before = source(project)
    done = run(project, *RUN, "--json", "out.json")
    assert (done.returncode, source(project)) == (3, before)
    lines = done.stderr.splitlines()
    assert lines[0].startswith("net.py:") and " does not script: 2 lines at fault (2 of 4 modules)" in lines[0]
    assert lines[-1].startswith("nothing was written; -v shows ")
    assert any(line.startswith("with `--mend exact` it would script: 1 change of code in 1 file, +") for line in lines)
    command = next(line for line in lines if line.startswith("  → pdt-annotate"))
    advised = json.loads((project / "out.json").read_text())["advised"]
    assert [mend["in"]["function"] for mend in advised["mends"]] == ["Block.forward"]

    done = run(project, *shlex.split(command.removeprefix("  → pdt-annotate")))
    assert done.returncode == 0, done.stderr
    assert "wrote 4 annotations and 1 mend into 1 file" in done.stderr
    assert MENDED in source(project) and "def forward(self, x: torch.Tensor, by: int):" in source(project)


def test_a_check_fails_where_a_function_lacks_nothing_but_a_mend(project: Path) -> None:
    before = source(project)
    done = run(project, *RUN, "--check", "--mend", "--output-format", "github")
    assert (done.returncode, source(project)) == (1, before)
    mended = [line for line in done.stdout.splitlines() if "PDT092" in line]
    assert len(mended) == 1 and mended[0].startswith("::error file=net.py,line=9,")
    assert "4 annotations and 1 mend missing in 1 file" in done.stderr


def test_where_the_whole_fails_with_mends_too_the_exact_ones_are_kept_with_the_parts_that_work(project: Path) -> None:
    (project / "net.py").write_text(BLOCK + HOPELESS)
    failed = run(project, *RUN, "--json", "out.json")
    assert (failed.returncode, source(project)) == (3, BLOCK + HOPELESS)
    assert "with `--mend exact` 1 of 2 places would be mended: 1 change of code in 1 file" in failed.stderr
    document = json.loads((project / "out.json").read_text())
    assert (document["places_left"], document["advised"]["verifies"]) == (1, False)
    done = run(project, *RUN, "--write-partial")
    annotated = BLOCK.replace("x, by):", "x: torch.Tensor, by: int):")
    assert (done.returncode, source(project)) == (3, annotated + HOPELESS)
    done = run(project, *RUN, "--mend", "--write-partial")
    assert (done.returncode, source(project)) == (3, annotated.replace("if self.downsample:", MENDED) + HOPELESS)
    assert "wrote 1 mend into 1 file" in done.stderr


MASKED = """\
import torch
from torch import nn

def exists(value):
    return value is not None

class Net(nn.Module):
    def forward(self, x, mask=None):
        if exists(mask):
            first = max(x, key=lambda row: row.sum()) if exists(mask) else {0, 1}
            x = first * mask
        return x * 2
"""


def test_a_branch_that_no_call_takes_is_left_out_although_other_rules_change_it(project: Path) -> None:
    (project / "net.py").write_text(MASKED)
    (project / "inputs.py").write_text("import torch\n\nexample_inputs = [(torch.ones(2, 4),)]\n")
    done = run(project, *RUN, "--mend=all")
    assert done.returncode == 0, done.stderr
    assert "            x = self._forward_with_mask(x, mask)\n" in source(project)
    assert "        first = max(x, key=lambda row: row.sum())" in source(project)
    assert "PDT093" in done.stderr


OWN_GRADIENT = """\
import torch
from torch import nn

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2

class Net(nn.Module):
    def forward(self, x):
        return Double.apply(x)
"""


def test_a_model_that_calls_python_when_scripted_is_mended_so_that_it_can_be_saved(project: Path) -> None:
    (project / "net.py").write_text(OWN_GRADIENT)
    (project / "inputs.py").write_text("import torch\n\nexample_inputs = [(torch.ones(2, 4),)]\n")
    done = run(project, *RUN, "--mend=all")
    assert done.returncode == 0, done.stderr
    assert "        return _double_forward(x)\n" in source(project)
    assert "PDT093" in done.stderr
    assert "PDT069" not in done.stderr


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
    """The processes that the command starts, with a project as the working directory."""
    found: Started = []

    def start(command: object, **given: object) -> None:
        found.append(command)
        raise OSError("no process is to be started")

    write(tmp_path, FILES)
    (tmp_path / "out").symlink_to("..")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(subprocess, "Popen", start)
    return found


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
        ("model:f --save-profile model.py", "cannot be saved over a file that is not a profile"),
        ("observe model:f --save-profile model.py", "cannot be saved over a file that is not a profile"),
    ],
)
def test_a_fault_of_the_command(words: str, said: str, started: Started, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*words.split(), *CALL]) == 2
    shown = capsys.readouterr()
    assert shown.out == "" and said in shown.err
    assert not started


@pytest.mark.parametrize(
    "words",
    [
        *(f"model:f --{name}" for name in ("json out/a", "html out/a.html", "stubs out/a", "output-file sarif:out/a")),
        *("model:f --check --update-baseline --baseline out/a", "model:f --save-profile out/a", "./out/model.py:f"),
        *(
            "observe model:f --save-profile out/a",
            "run --save-profile out/a -- model.py",
            "init model.py:f -o out/a.py",
        ),
    ],
)
def test_no_link_leads_what_is_written_out(words: str, started: Started, capsys: pytest.CaptureFixture[str]) -> None:
    (Path("..") / "model.py").write_text(FILES["model.py"])
    assert cli.main([*words.split(), *(() if words.startswith(("run", "init")) else CALL)]) == 2
    assert "out leads out of the project" in capsys.readouterr().err
    assert not started and not {each.name for each in Path("..").iterdir()} & {"a", "a.html", "a.py"}


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
    assert cli.main(["model:f", *([word for arg in args for word in ("-a", arg)] or ["-i", inputs])]) == 2
    assert capsys.readouterr().err == f"error: {error.message}\n{place}{hint}"
    assert not started
    cli.main(["model.py:f", "--diff", *CALL])
    assert started, "what is right starts a process"
