"""Every class of attack against two stubs: one refuses everything, one accepts everything. No class may hold."""

from __future__ import annotations

import importlib
from typing import Any, cast

import pytest
import stubs
from repository import ROOT
from tally import Attack, Means, Tally

FACTORS = {
    "edits": 0.01,
    "escapes": 0.2,
    "hostile": 0.2,
    "inputs": 0.05,
    "processes": 0.05,
    "rewriting": 0.005,
    "runs": 0.04,
    "sameness": 0.2,
    "streams": 0.02,
    "writes": 0.01,
}
"""By class, how many times the attacks of ten minutes."""

MAY_HOLD = {
    ("inputs", "accepts"): "a pyproject.toml without a table of ours",
    ("rewriting", "accepts"): "a file in which all is annotated, or is not to be",
}
"""What a stub does right, and why; at most half of the attacks of the class."""


def test_every_class_is_here() -> None:
    assert set(FACTORS) == {file.stem for file in (ROOT / "tests" / "torture" / "classes").glob("*.py")}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What `runs` attacks, made by the tool itself."""
    return importlib.import_module("classes.runs")._make(tmp_path_factory.mktemp("runs"))


@pytest.mark.forks
@pytest.mark.parametrize("kind", stubs.KINDS)
@pytest.mark.parametrize("name", FACTORS)
def test_no_attack_holds_with_a_stub(name: str, kind: str, project: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    attack, tally = cast(Attack, importlib.import_module(f"classes.{name}")), Tally()
    if name == "runs":
        monkeypatch.setattr(attack, "_make", lambda folder: project)
    with stubs.stubbed(name, kind):
        attack.run(Means(16, FACTORS[name]), tally)
    monkeypatch.chdir(ROOT)  # and back, wherever a class leaves us
    assert tally.made
    assert tally.survived <= (tally.made / 2 if (name, kind) in MAY_HOLD else 0), tally
