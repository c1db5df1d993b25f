"""Profiles: saving one, annotating with it and with examples, and annotating from it alone, without user code."""

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
from pdt_annotate.profiles import Profile

FIXTURE = ROOT / "fixtures" / "transformer_lm"
RAISE = "raise ImportError('imported where nothing should be')\n"

BROKEN_HERE = f"import torch\n{RAISE}{MODEL.removeprefix('import torch')}"


class Ended(NamedTuple):
    """The result of a run of the command."""

    returncode: int
    stdout: str
    stderr: str


Run = Callable[..., Ended]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """The command in the folder of the test."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: Ended(cli.main(arguments), *capfd.readouterr())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project that cannot be imported, with a profile from the time when it could."""
    modules = write(tmp_path, {"model.py": BROKEN_HERE, "pyproject.toml": ""})
    modules = {"model": modules["model"]}
    profiles.save(str(tmp_path / "p.sqlite"), profile_of(tmp_path, modules, observe(modules["model"])))
    return tmp_path


def run_without_torch(folder: Path, *arguments: str) -> Ended:
    """The command as a process in a directory, in which any import of torch fails."""
    write(folder.parent, {"blocked/torch/__init__.py": RAISE})
    command = [sys.executable, "-m", "pdt_annotate", *arguments]
    env = {"PYTHONPATH": f"{folder.parent / 'blocked'}:{ROOT}", "PATH": "/usr/bin:/bin"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    return Ended(done.returncode, done.stdout, done.stderr)


def source_of(project: Path) -> str:
    return (project / "model.py").read_text()


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


def test_parameters_of_what_ran_are_annotated_once_and_nothing_else(project: Path, run: Run) -> None:
    done = run("--profile", "p.sqlite")
    assert (done.returncode, done.stdout) == (0, "")
    source = source_of(project)
    assert "def scale(x: torch.Tensor, factor: float):" in source
    assert "def forward(self, x: torch.Tensor, mask: Optional[torch.Tensor] = None):" in source
    assert "acc = None" in source and "def __init__(self, width):" in source
    last = done.stderr.splitlines()[-1]
    assert last.startswith("wrote 4 annotations into 1 file; the annotations were checked") and "-i" in last
    again = run("--profile", "p.sqlite", "--check")
    assert again.returncode == 0 and "nothing to annotate" in again.stderr
    assert source_of(project) == source


def test_a_diff_a_check_and_stubs_leave_the_sources_and_the_diff_can_be_applied(project: Path, run: Run) -> None:
    diff = run("--profile", "p.sqlite", "--diff", "--returns", "all")
    check = run("--profile", "p.sqlite", "--check", "--json", "-", "--explain")
    assert (diff.returncode, check.returncode) == (0, 1)
    assert run("--profile", "p.sqlite", "--stubs", "typings").returncode == 0
    assert source_of(project) == BROKEN_HERE
    assert "factor: float" in (project / "typings" / "model.pyi").read_text()
    assert "seen: Tensor\N{MULTIPLICATION SIGN}1 in call 1 of model:Net" in check.stderr
    found = json.loads(check.stdout)
    assert found["verified"] is False
    judges = {verdict["judge"]: verdict["ok"] for verdict in found["verdicts"]}
    assert judges == {"parses": True, "same program": True, "stable": True}
    subprocess.run(["patch", "-p1"], input=diff.stdout, text=True, cwd=project, check=True, capture_output=True)
    patched = source_of(project)
    assert "-> torch.Tensor:" in patched and "-> Tuple[torch.Tensor, torch.Tensor]:" in patched
    (project / "model.py").write_text(BROKEN_HERE)
    run("--profile", "p.sqlite", "--returns", "all")
    assert patched == source_of(project)


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


def test_what_the_profile_no_longer_knows_is_said_and_fails_a_check(project: Path, run: Run) -> None:
    (project / "model.py").write_text(BROKEN_HERE.replace("x * factor", "x / factor"))
    done = run("--profile", "p.sqlite")
    assert done.returncode == 0
    line = owner_of(str(project / "model.py"), "scale").line  # the current line
    assert f"model.py:{line}:5: PDT070 `scale` has changed" in done.stderr
    assert "def scale(x, factor):" in source_of(project) and "mask: Optional" in source_of(project)
    done = run("--profile", "p.sqlite", "--check", "--json", "-")
    assert done.returncode == 1
    assert "pdt-annotate observe model:Net -i … --save-profile p.sqlite" in done.stderr
    (finding,) = json.loads(done.stdout)["outdated"]["findings"]
    assert finding["message"].startswith("`scale` has changed since it ran inside forward")
    assert run("--profile", "p.sqlite", "--diff").returncode == run("--profile", "p.sqlite").returncode == 0
    assert run("--profile", "p.sqlite", "--exit-non-zero-on-write").returncode == 1
    assert '<failure message="`scale` has' in run("--profile", "p.sqlite", "--check", "--output-format", "junit").stdout
    github = run("--profile", "p.sqlite", "--check", "--output-format", "github").stdout
    assert github.startswith(f"::error file=model.py,line={line},col=5,") and "--save-profile p.sqlite" in github


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--profile", "gone.sqlite"], "no such profile"),
        (["--profile", "model.py"], "this is not a profile"),
        (["--profile", "p.sqlite", "other:Net"], "the profile has no observations of other:Net"),
    ],
)
def test_errors_say_what_is_wrong(arguments: list[str], message: str, project: Path, run: Run) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr and "Traceback" not in done.stderr
    assert source_of(project) == BROKEN_HERE


def test_a_database_of_monkeytype_annotates_without_torch_and_joins_a_run_with_inputs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    model = "def repeat(x, n=None):\n    return x if n is None else x * n\n\n\ndef first(x):\n    return x[0]\n"
    program = "import model\nmodel.repeat(2, 3)\nmodel.first([1])\n"
    root = tmp_path / "traced"
    write(root, {"model.py": model, "program.py": program, "pyproject.toml": ""})
    command = [sys.executable, "-m", "monkeytype", "run", "program.py"]
    subprocess.run(command, cwd=root, check=True, capture_output=True)

    done = run_without_torch(root, "--profile", "monkeytype.sqlite3", "--returns", "all")
    assert done.returncode == 0, done.stderr
    assert "def repeat(x: int, n: Optional[int] = None) -> int:" in source_of(root)
    assert "def first(x: List[int]) -> int:" in source_of(root)

    write(root, {"model.py": model})
    monkeypatch.chdir(root)
    assert cli.main(["model:repeat", "-a", "2", "--profile", "monkeytype.sqlite3", "--explain", "--no-probe"]) == 0
    assert "1 in MonkeyType" in capfd.readouterr().err
    assert "def repeat(x: int, n: Optional[int] = None):" in source_of(root)


def test_a_profile_is_as_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Observe with torch, and annotate in a copy without torch. The fixture only needs annotations of parameters."""
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        shutil.copytree(FIXTURE, folder, ignore=shutil.ignore_patterns("expected*", "__pycache__"))
    monkeypatch.chdir(there)
    assert cli.main(["observe", (FIXTURE / "target").read_text().strip(), "-i", "spec.py", "--root", "."]) == 0
    observed = capfd.readouterr()
    assert observed.out == "" and "saved in pdt-profile.sqlite" in observed.err
    done = run_without_torch(here, "--profile", str(there), "--root", ".", "--diff")
    assert done.returncode == 0
    assert done.stdout == (FIXTURE / "expected.diff").read_text()


OBSERVED = """\
import torch

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = 0
    def forward(self, x, mask=None):
        out = []
        out.append(x)
        return out[0] if mask is None else x * mask
"""

INPUTS = {
    "plain.py": "import torch\nexample_inputs = [(torch.ones(2),)]\n",
    "masked.py": "import torch\nexample_inputs = [(torch.ones(2), torch.ones(2))]\n",
}


def types_in(profile: Profile, qualname: str, name: str) -> set[str]:
    sightings = (sighting for recording in profile.recordings for sighting in recording.sightings)
    return {s.type for s in sightings if (s.place.qualname, s.name) == (qualname, name)}


def test_what_is_observed_is_kept_and_joins_what_examples_show(tmp_path: Path, run: Run) -> None:
    write(tmp_path, {"model.py": OBSERVED, "pyproject.toml": "", **INPUTS})
    done = run("observe", "model:Net", "-i", "masked.py")
    assert (done.returncode, done.stdout) == (0, "")
    assert (tmp_path / "model.py").read_text() == OBSERVED
    profile = profiles.load([str(tmp_path / "pdt-profile.sqlite")])
    (recording,) = profile.recordings
    assert recording.label == "model:Net"
    assert {source.path for source in recording.sources} == {"model.py"}
    assert {(s.kind, s.name, s.statement > 0) for s in recording.sightings} >= {
        ("parameter", "mask", False),
        ("return", "return", False),
        ("local", "out", True),
        ("attribute", "seen", False),
    }
    assert done.stderr == "observed 1 function, 6 slots; saved in pdt-profile.sqlite\n"
    assert str(tmp_path) not in repr(profile)

    both = ("model:Net", "-i", "plain.py", "--profile", "pdt-profile.sqlite", "--no-probe")
    done = run(*both, "--explain", "--save-profile", "q.sqlite")
    assert done.returncode == 0, done.stderr
    assert "the scripted model returns the same results as Python on 1 call" in done.stderr
    assert "mask: Optional[torch.Tensor] = None" in source_of(tmp_path)
    for seen in ("Tensor\N{MULTIPLICATION SIGN}1 in call 1 of model:Net", "None\N{MULTIPLICATION SIGN}1 in call 1\n"):
        assert f"seen: {seen}" in done.stderr
    assert types_in(profiles.load([str(tmp_path / "q.sqlite")]), "Net.forward", "mask") == {'{"name":"None"}'}

    (tmp_path / "model.py").write_text(OBSERVED.replace("x * mask", "mask * x"))
    done = run(*both, "--explain")
    assert done.returncode == 0
    assert "PDT070" in done.stderr and "`Net.forward` has changed" in done.stderr
    assert "in call 1 of" not in done.stderr


def test_a_profile_is_saved_where_annotating_fails(tmp_path: Path, run: Run) -> None:
    write(tmp_path, {"failing.py": "def f(x, n):\n    return {x, n}\n"})
    done = run("failing:f", "-a", "f32[2]", "-a", "3", "--save-profile", "kept/p.sqlite", "--no-probe")
    assert done.returncode == 3
    assert types_in(profiles.load([str(tmp_path / "kept")]), "f", "n") == {'{"name":"int"}'}


@pytest.mark.parametrize(("target", "spec"), [("model.py:Net", "model.py:small"), ("model:Net", "model.py")])
def test_a_spec_in_the_targets_own_file(tmp_path: Path, target: str, spec: str, run: Run) -> None:
    write(tmp_path, {"model.py": f"{OBSERVED}\ncalls = small = [(torch.ones(2), torch.ones(2))]\n"})
    assert run(target, "-i", spec, "--no-probe").returncode == 0
    assert "mask: Optional[torch.Tensor] = None" in source_of(tmp_path)


def test_a_spec_beside_the_target_is_not_annotated(tmp_path: Path, run: Run) -> None:
    spec = "import torch\nimport model\n\n\ndef calls(n=2):\n    return [(torch.ones(n), helper(n))]\n\n\n"
    spec += "def helper(n):\n    return torch.ones(n)\n"
    write(tmp_path, {"model.py": OBSERVED, "spec.py": spec})
    assert run("model:Net", "-i", "spec.py", "--scope", "observed", "--no-probe").returncode == 0
    assert (tmp_path / "spec.py").read_text() == spec
