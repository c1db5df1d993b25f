"""Which runs a commit concerns."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest
from outcomes import make_outcome

from pdt_annotate import api
from pdt_annotate.cache import entries
from pdt_annotate.cli.annotate import concerned
from pdt_annotate.cli.load import Run, load
from pdt_annotate.values.runs import Closure

PYPROJECT = """\
[[tool.pdt-annotate.targets]]
target = "model.py:Net"
inputs = "inputs.py"

[[tool.pdt-annotate.targets]]
target = "other.py:Net"
inputs = "inputs.py"
"""


@pytest.fixture
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Run, ...]:
    """Two configured targets, `model.py` and `other.py`, of which nothing is known yet."""
    monkeypatch.chdir(tmp_path)
    for name in ("model.py", "other.py", "inputs.py"):
        (tmp_path / name).touch()
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    return load("annotate").runs


def finish(run: Run, root: Path, *, verified: bool = True) -> None:
    """Let a run have ended, which read its target's file and found nothing to annotate."""
    file = str(root / run.options.targets[0].file)
    closure = Closure(frozenset({file}))
    outcome = replace(make_outcome(root), changes=(), annotations=(), closure=closure, verified=verified)
    entries.keep(run.options, outcome, "it is well", time.time_ns() + 10 * entries.LEEWAY_NS)


def names_of_concerned(runs: tuple[Run, ...], *files: str) -> list[str]:
    return [run.options.name for run in concerned(runs, files)]


def test_what_is_done_is_not_run(runs: tuple[Run, ...], tmp_path: Path) -> None:
    for run in runs:
        finish(run, tmp_path)
    assert not names_of_concerned(runs)
    assert not names_of_concerned(runs, "model.py", "other.py")


@pytest.mark.parametrize("verified", [True, False])
def test_a_file_that_a_target_does_not_read_is_not_its_concern(
    verified: bool, runs: tuple[Run, ...], tmp_path: Path
) -> None:
    for run in runs:
        finish(run, tmp_path, verified=verified)
    for name in ("model.py", "other.py"):
        (tmp_path / name).write_text("changed = True\n")
    assert not names_of_concerned(runs, "inputs.yaml", "sub/model.py")
    assert names_of_concerned(runs, "other.py") == ["other.py:Net"]
    assert names_of_concerned(runs, "model.py", "other.py") == ["model.py:Net", "other.py:Net"]


def test_what_is_unknown_is_run(runs: tuple[Run, ...], tmp_path: Path) -> None:
    finish(runs[0], tmp_path)
    assert names_of_concerned(runs, "unrelated.py") == ["other.py:Net"]


def test_a_profile_concerns_the_files_that_it_knows(runs: tuple[Run, ...], tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text("def f(x, k):\n    return x * k\n")
    api.observe("model.py:f", args=["f32[2]", "3"], save_profile="net.sqlite")
    profiled = load("annotate", (), {"profile": ("net.sqlite",)}).runs
    assert not names_of_concerned(profiled, "unrelated.py", "net.sqlite")
    assert names_of_concerned(profiled, "unrelated.py", "model.py")
    (tmp_path / "model.py").rename(tmp_path / "renamed.py")  # pre-commit names no file that is gone
    assert names_of_concerned(profiled, "renamed.py")
