"""Observing to keep it, and annotating with what was kept: the real command, one process each."""

from __future__ import annotations

import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from profiled import write
from repository import ROOT

from pdt_annotate import profiles
from pdt_annotate.profiles import Profile

MODEL = """\
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

FAILING = """\
def f(x, n):
    try:
        return x * n
    except ValueError:
        return x
"""

INPUTS = {
    "plain.py": "import torch\nexample_inputs = [(torch.ones(2),)]\n",
    "masked.py": "import torch\nexample_inputs = [(torch.ones(2), torch.ones(2))]\n",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path, {"model.py": MODEL, "failing.py": FAILING, "pyproject.toml": "", **INPUTS})
    return tmp_path


def run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pdt_annotate", *arguments, *(() if "observe" in arguments else ["--no-probe"])],
        cwd=project,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, subprocess.CompletedProcess[str]]:
    """A project in which the model was observed with a mask, and how that ended."""
    folder = tmp_path_factory.mktemp("observed")
    write(folder, {"model.py": MODEL, "pyproject.toml": "", **INPUTS})
    return folder, run(folder, "observe", "model:Net", "-i", "masked.py")


@pytest.fixture
def profile(observed: tuple[Path, object], project: Path) -> Path:
    return Path(shutil.copy(observed[0] / "pdt-profile.sqlite", project / "p.sqlite"))


def types_in(profile: Profile, qualname: str, name: str) -> set[str]:
    sightings = (sighting for recording in profile.recordings for sighting in recording.sightings)
    return {s.type for s in sightings if (s.place.qualname, s.name) == (qualname, name)}


def test_observing_changes_no_source_and_keeps_what_it_saw(
    observed: tuple[Path, subprocess.CompletedProcess[str]],
) -> None:
    project, done = observed
    assert (done.returncode, done.stdout) == (0, "")
    assert (project / "model.py").read_text() == MODEL
    profile = profiles.load([str(project / "pdt-profile.sqlite")])
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
    assert str(project) not in repr(profile)


def test_what_is_no_profile_is_not_written_over_and_nothing_is_run(project: Path) -> None:
    (project / "model.py").write_text(f"open('ran', 'w')\n{MODEL}")
    done = run(project, "observe", "model:Net", "-i", "plain.py", "--save-profile", "masked.py")
    assert done.returncode == 2 and "no profile" in done.stderr
    assert (project / "masked.py").read_text() == INPUTS["masked.py"]
    assert not (project / "ran").exists()


def test_a_profile_is_saved_where_annotating_fails(project: Path) -> None:
    done = run(project, "failing:f", "-a", "f32[2]", "-a", "3", "--save-profile", "kept/p.sqlite")
    assert done.returncode == 3
    assert types_in(profiles.load([str(project / "kept")]), "f", "n") == {'{"name":"int"}'}


def test_what_a_profile_shows_joins_what_the_examples_show(project: Path, profile: Path) -> None:
    write(project, {"other.py": "def f(x):\n    return x\n"})
    done = run(
        project, "model:Net", "-i", "plain.py", "--profile", "p.sqlite", "--explain", "--save-profile", "q.sqlite"
    )
    assert done.returncode == 0, done.stderr
    assert "the scripted model answers like eager on 1 call" in done.stderr
    assert "mask: Optional[torch.Tensor] = None" in (project / "model.py").read_text()
    for seen in ("Tensor\N{MULTIPLICATION SIGN}1 in call 1 of model:Net", "None\N{MULTIPLICATION SIGN}1 in call 1\n"):
        assert f"seen: {seen}" in done.stderr
    assert types_in(profiles.load([str(project / "q.sqlite")]), "Net.forward", "mask") == {'{"name":"None"}'}


def test_a_profile_of_an_older_source_is_reported_beside_the_run(project: Path, profile: Path) -> None:
    newer = textwrap.dedent(MODEL).replace("x * mask", "mask * x")
    (project / "model.py").write_text(newer)
    done = run(project, "model:Net", "-i", "plain.py", "--profile", "p.sqlite")
    assert done.returncode == 0
    assert "PDT070" in done.stderr and "`Net.forward` has changed" in done.stderr
    assert "in call 1 of" not in done.stderr


OWN = f"{MODEL}\n\ncalls = small = [(torch.ones(2), torch.ones(2))]\n"


@pytest.mark.parametrize(("target", "spec"), [("model.py:Net", "model.py:small"), ("model:Net", "model.py")])
def test_a_spec_in_the_targets_own_file(project: Path, target: str, spec: str) -> None:
    write(project, {"model.py": OWN})
    done = run(project, target, "-i", spec)
    assert done.returncode == 0, done.stderr
    assert "mask: Optional[torch.Tensor] = None" in (project / "model.py").read_text()


def test_a_spec_beside_the_target_is_not_annotated(project: Path) -> None:
    spec = "import torch\nimport model\n\n\ndef calls(n=2):\n    return [(torch.ones(n), helper(n))]\n\n\n"
    spec += "def helper(n):\n    return torch.ones(n)\n"
    write(project, {"spec.py": spec})
    assert run(project, "model:Net", "-i", "spec.py", "--scope", "entered").returncode in (0, 2)
    assert (project / "spec.py").read_text() == spec
