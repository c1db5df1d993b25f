"""Annotating from a profile alone: neither torch nor the user's code is imported."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from profiled import MODEL, SEEN, Seen, observe, owner_of, profile_of, write
from repository import ROOT

from pdt_annotate import cli, profiles

FIXTURE = ROOT / "fixtures" / "transformer_lm"
RAISE = "raise ImportError('imported where nothing should be')\n"

BROKEN_HERE = f"import torch\n{RAISE}{MODEL.removeprefix('import torch')}"


class Ended(NamedTuple):
    """What a run of the command came to."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Ended]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that cannot be imported, with a profile of the time when it could."""
    root = tmp_path / "project"
    modules = write(root, {"model.py": BROKEN_HERE, "pyproject.toml": ""})
    modules = {"model": modules["model"]}
    profiles.save(str(root / "p.sqlite"), profile_of(root, modules, observe(modules["model"])))
    return root


@pytest.fixture
def run(project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """The command in the project; its source raises where it is imported."""
    monkeypatch.chdir(project)

    def start(*arguments: str) -> Ended:
        code = cli.main(arguments)
        return Ended(code, *capfd.readouterr())

    return start


def run_without_torch(folder: Path, *arguments: str) -> Ended:
    """The command as a process in a directory, where any import of torch fails."""
    write(folder.parent, {"blocked/torch/__init__.py": RAISE})
    done = subprocess.run(
        [sys.executable, "-m", "pdt_annotate", *arguments],
        cwd=folder,
        env={"PYTHONPATH": f"{folder.parent / 'blocked'}:{ROOT}", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


def source_of(project: Path) -> str:
    return (project / "model.py").read_text()


def test_diff_and_check_write_nothing(project: Path, run: Run) -> None:
    assert run("--profile", "p.sqlite", "--diff").returncode == 0
    assert run("--profile", "p.sqlite", "--check").returncode == 1
    assert source_of(project) == BROKEN_HERE


def test_what_did_not_run_is_left_alone(project: Path, run: Run) -> None:
    assert run("--profile", "p.sqlite").returncode == 0
    assert "def __init__(self, width):" in source_of(project)


@pytest.mark.parametrize(
    ("mark", "before"),
    [("# pdt: skip-file\n", "import torch"), ("# pdt: skip\n", "def scale"), ("    # pdt: skip\n", "    def forward")],
)
def test_what_is_marked_to_be_skipped_is_left_alone(mark: str, before: str, project: Path, run: Run) -> None:
    marked = BROKEN_HERE.replace(before, f"{mark}{before}")
    (project / "model.py").write_text(marked)
    done = run("--profile", "p.sqlite", "--returns", "all", "--diff")
    assert done.returncode == 0 and "PDT033" not in done.stderr
    added = [line for line in done.stdout.splitlines() if line.startswith("+") and "def" in line]
    assert not any(before.strip() in line for line in added)
    assert bool(added) is ("file" not in mark)


def test_parameters_are_annotated_and_nothing_else(project: Path, run: Run) -> None:
    done = run("--profile", "p.sqlite")
    assert (done.returncode, done.stdout) == (0, "")
    assert "def scale(x: torch.Tensor, factor: float):" in source_of(project)
    assert "def forward(self, x: torch.Tensor, mask: Optional[torch.Tensor] = None):" in source_of(project)
    assert "acc = None" in source_of(project)
    last = done.stderr.splitlines()[-1]
    assert last.startswith("wrote 4 annotations into 1 file; not verified by the compiler") and "-i" in last


def test_a_second_run_finds_nothing_to_do(project: Path, run: Run) -> None:
    run("--profile", "p.sqlite")
    again = source_of(project)
    done = run("--profile", "p.sqlite", "--check")
    assert done.returncode == 0 and "nothing to annotate" in done.stderr
    assert source_of(project) == again


def test_returns_are_written_where_all_are_asked_for(project: Path, run: Run) -> None:
    run("--profile", "p.sqlite", "--returns", "all")
    assert "-> torch.Tensor:" in source_of(project)
    assert "-> Tuple[torch.Tensor, torch.Tensor]:" in source_of(project)


def test_a_diff_can_be_applied(project: Path, run: Run) -> None:
    diff = run("--profile", "p.sqlite", "--diff").stdout
    subprocess.run(["patch", "-p1"], input=diff, text=True, cwd=project, check=True, capture_output=True)
    patched = source_of(project)
    (project / "model.py").write_text(BROKEN_HERE)
    run("--profile", "p.sqlite")
    assert patched == source_of(project)


def test_stubs(project: Path, run: Run) -> None:
    assert run("--profile", "p.sqlite", "--stubs", "typings").returncode == 0
    assert "factor: float" in (project / "typings" / "model.pyi").read_text()
    assert source_of(project) == BROKEN_HERE


def test_json_says_that_nothing_was_compiled(project: Path, run: Run) -> None:
    done = json.loads(run("--profile", "p.sqlite", "--check", "--json", "-").stdout)
    assert done["verified"] is False
    assert [(verdict["judge"], verdict["ok"]) for verdict in done["verdicts"]] == [
        ("parses", True),
        ("same program", True),
        ("stable", True),
    ]


def test_explain_tells_what_ran(run: Run) -> None:
    done = run("--profile", "p.sqlite", "--check", "--explain")
    assert "seen: Tensor\N{MULTIPLICATION SIGN}1 in call 1 of model:Net" in done.stderr


@pytest.mark.parametrize(
    ("target", "annotated"),
    [
        ("model.py:Net", {"scale", "forward"}),
        ("model:Net", {"scale", "forward"}),
        ("model:scale", {"scale"}),
        ("model:Net.forward", {"forward"}),
        ("model:Net.__init__", set()),
    ],
)
def test_targets_restrict(target: str, annotated: set[str], project: Path, run: Run) -> None:
    assert run(target, "--profile", "p.sqlite").returncode == 0
    marks = {"scale": "factor: float", "forward": "mask: Optional"}
    assert {name for name, mark in marks.items() if mark in source_of(project)} == annotated


def test_only_what_ran_in_forward_is_annotated_where_that_is_known(project: Path, run: Run) -> None:
    modules = {"model": str(project / "model.py")}
    seen: Seen = {**SEEN, "Net.__init__": {"width": ("int",)}}
    observed = observe(modules["model"], seen)
    forward = [owner_of(modules["model"], "Net.forward")]
    profiles.save(str(project / "p.sqlite"), profile_of(project, modules, observed, in_forward=forward))
    diff = run("--profile", "p.sqlite", "--diff").stdout
    assert "mask: Optional" in diff and "factor: float" not in diff and "width: int" not in diff
    profiles.save(str(project / "p.sqlite"), profile_of(project, modules, observed, in_forward=()))
    diff = run("--profile", "p.sqlite", "--diff").stdout
    assert "mask: Optional" in diff and "factor: float" in diff and "width: int" in diff


def test_a_contradiction_and_an_illegal_type_are_said(project: Path, run: Run) -> None:
    (project / "model.py").write_text(MODEL.replace("factor)", "factor: int)"))
    modules = {"model": str(project / "model.py")}
    seen: Seen = {**SEEN, "Net.forward": {"x": ("set",), "mask": ("torch.nn.modules.module.Module",)}}
    profiles.save(str(project / "p.sqlite"), profile_of(project, modules, observe(modules["model"], seen)))
    done = run("--profile", "p.sqlite", "--diff")
    assert "PDT032" in done.stderr and "PDT011" in done.stderr
    assert "(x: torch.Tensor, factor: int)" in done.stdout and "+    def forward" not in done.stdout


def test_what_no_longer_matches_is_said(project: Path, run: Run) -> None:
    (project / "model.py").write_text(BROKEN_HERE.replace("x * factor", "x / factor"))
    done = run("--profile", "p.sqlite")
    assert done.returncode == 0
    line = owner_of(str(project / "model.py"), "scale").line  # where it is now
    assert f"model.py:{line}:5: PDT070 `scale` has changed" in done.stderr
    assert "def scale(x, factor):" in source_of(project) and "mask: Optional" in source_of(project)


def test_a_check_fails_for_what_the_profile_no_longer_knows(project: Path, run: Run) -> None:
    assert run("--profile", "p.sqlite").returncode == 0
    write(project, {"model.py": source_of(project).replace("x: torch.Tensor, factor: float", "x, factor")})
    write(project, {"model.py": source_of(project).replace("x * factor", "x / factor")})
    done = run("--profile", "p.sqlite", "--check", "--json", "-")
    assert done.returncode == 1
    assert "pdt-annotate observe model:Net -i … --save-profile p.sqlite" in done.stderr
    (finding,) = json.loads(done.stdout)["outdated"]["findings"]
    assert finding["message"].startswith("`scale` has changed since it ran inside forward")
    assert run("--profile", "p.sqlite", "--diff").returncode == run("--profile", "p.sqlite").returncode == 0
    assert run("--profile", "p.sqlite", "--exit-non-zero-on-write").returncode == 1
    assert '<failure message="`scale` has' in run("--profile", "p.sqlite", "--check", "--output-format", "junit").stdout
    github = run("--profile", "p.sqlite", "--check", "--output-format", "github").stdout
    assert github.startswith("::error file=model.py,line=8,col=5,") and "--save-profile p.sqlite" in github


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--profile", "gone.sqlite"], "no such profile"),
        (["--profile", "model.py"], "this is not a profile"),
        (["--profile", "p.sqlite", "other:Net"], "the profile has nothing of other:Net"),
        (["--profile", "p.sqlite", "--save-profile", "q.sqlite"], "not enough for --save-profile"),
        (["--profile", "p.sqlite", "--write-partial"], "not enough for --write-partial"),
        (["--profile", "p.sqlite", "--diff", "--check"], "exclude each other"),
    ],
)
def test_errors_say_what_is_wrong(arguments: list[str], message: str, project: Path, run: Run) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr
    assert source_of(project) == BROKEN_HERE


TRACED = "def repeat(x, n=None):\n    return x if n is None else x * n\n\n\ndef first(x):\n    return x[0]\n"
PROGRAM = "import model\nmodel.repeat(2, 3)\nmodel.first([1])\n"


@pytest.fixture
def traced(tmp_path: Path) -> Path:
    """A project with the database of a run of MonkeyType."""
    root = tmp_path / "traced"
    write(root, {"model.py": TRACED, "program.py": PROGRAM, "pyproject.toml": ""})
    command = [sys.executable, "-m", "monkeytype", "run", "program.py"]
    subprocess.run(command, cwd=root, check=True, capture_output=True)
    return root


def test_a_database_of_monkeytype_annotates_without_torch(traced: Path) -> None:
    done = run_without_torch(traced, "--profile", "monkeytype.sqlite3", "--returns", "all")
    assert done.returncode == 0, done.stderr
    source = source_of(traced)
    assert "def repeat(x: int, n: Optional[int] = None) -> int:" in source
    assert "def first(x: List[int]) -> int:" in source


def test_a_run_with_inputs_joins_a_database_of_monkeytype(
    traced: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(traced)
    assert cli.main(["model:repeat", "-a", "2", "--profile", "monkeytype.sqlite3", "--explain", "--no-probe"]) == 0
    assert "1 in MonkeyType" in capfd.readouterr().err
    assert "def repeat(x: int, n: Optional[int] = None):" in source_of(traced)


def test_a_profile_gives_what_the_run_itself_gives(tmp_path: Path) -> None:
    """Observed by the command with torch, annotated in a copy without; the fixture needs annotated parameters alone."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        shutil.copytree(FIXTURE, folder, ignore=shutil.ignore_patterns("expected*", "__pycache__"))
    target = (FIXTURE / "target").read_text().strip()
    observing = [sys.executable, "-m", "pdt_annotate", "observe", target, "-i", "spec.py", "--root", "."]
    observed = subprocess.run(
        observing, cwd=there, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True
    )
    assert observed.stdout == "" and "saved in pdt-profile.sqlite" in observed.stderr
    done = run_without_torch(here, "--profile", str(there), "--root", ".", "--diff")
    assert done.returncode == 0
    assert done.stdout == (FIXTURE / "expected.diff").read_text()
