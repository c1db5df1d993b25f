"""Profiles of several runs in one file."""

from __future__ import annotations

from pathlib import Path

import profiled
import pytest

from pdt_annotate import profiles
from pdt_annotate.cli.several.commands import save_together
from pdt_annotate.inputs.target import parse
from pdt_annotate.profiles import Profile
from pdt_annotate.settings.options import Options
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.runs import SpecSource


def options(root: Path, save_profile: Path | str) -> Options:
    return Options((parse("a:A"),), SpecSource(args=("1",)), str(root), save_profile=str(save_profile))


@pytest.fixture
def seen(tmp_path: Path) -> list[Profile]:
    modules = profiled.write(tmp_path, {"model.py": profiled.MODEL})
    observed = profiled.observe(modules["model"])
    return [profiled.profile_of(tmp_path, modules, observed, run=run) for run in ("r1", "r2", "r3")]


def test_nothing_is_saved_that_was_not_asked_for(tmp_path: Path) -> None:
    with save_together([options(tmp_path, ""), options(tmp_path, tmp_path / "p")]) as aside:
        assert aside[0].save_profile == ""
    assert not list(tmp_path.iterdir())


def test_what_is_no_profile_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "p").write_text("notes")
    with pytest.raises(UserError, match="no profile"), save_together([options(tmp_path, tmp_path / "p")]):
        raise AssertionError("it ran")


def test_each_file_gets_what_its_runs_saved(tmp_path: Path, seen: list[Profile]) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    with save_together([options(tmp_path, file) for file in (one, two, one)]) as aside:
        assert len({each.save_profile for each in aside}) == 3
        for each, profile in zip(aside, seen, strict=True):
            profiles.save(each.save_profile, profile)
        assert not one.exists()
    assert profiles.load([str(one)]) == profiles.merge([seen[0], seen[2]])
    assert profiles.load([str(two)]) == seen[1]


def test_what_was_observed_before_an_interrupt_is_kept(tmp_path: Path, seen: list[Profile]) -> None:
    file = tmp_path / "one"
    with pytest.raises(KeyboardInterrupt), save_together([options(tmp_path, file)] * 2) as aside:
        profiles.save(aside[0].save_profile, seen[0])
        raise KeyboardInterrupt
    assert profiles.load([str(file)]) == seen[0]
