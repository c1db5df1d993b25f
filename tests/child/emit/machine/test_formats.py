"""Every format of machine output: of real runs that succeed and that fail, whole, repeatable, and valid."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import sarif_consumer
from schemas import OUTPUT_VALIDATOR as VALIDATOR
from schemas import SARIF_SCHEMA as SCHEMA
from workflow_command import parse

import pdt_annotate
from pdt_annotate.emit.machine.formats import FORMATS
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import Outcome

MODEL = """\
import torch


class Inner(torch.nn.Module):
    def forward(self, x, n):
        try:
            return x * n
        except ValueError:
            return x


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x, n):
        return self.inner(x, n)


def scale(x, factor, offsets=None):
    return x * factor if offsets is None else x * factor + offsets[0]
"""

ARGS = {"Net": ("f32[2]", "3"), "scale": ("f32[2]", "3", "[1.5]")}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Outcome]:
    """One that fails with blame, and one that holds."""
    root = tmp_path_factory.mktemp("project")
    (root / "model.py").write_text(MODEL)
    (root / "pyproject.toml").touch()
    return {name: pdt_annotate.annotate(f"{root}/model.py:{name}", args=args) for name, args in ARGS.items()}


def written(outcome: Outcome, name: str, write_back: WriteBack = WriteBack.CHECK, code: int = 1) -> bytes:
    return FORMATS[name](outcome, Invocation(outcome.root, write_back, code))


@pytest.mark.parametrize("target", ARGS)
@pytest.mark.parametrize("name", FORMATS)
def test_the_same_outcome_gives_the_same_bytes_without_places_of_this_machine(
    name: str, target: str, outcomes: Mapping[str, Outcome]
) -> None:
    first = written(outcomes[target], name)
    assert first == written(outcomes[target], name)
    assert first.endswith(b"\n")
    if name != "text":  # which names the target as it was typed, and files from the working directory
        assert outcomes[target].root.encode() not in first


def test_the_runs_are_what_they_are_for(outcomes: Mapping[str, Outcome]) -> None:
    assert outcomes["Net"].blame and not outcomes["Net"].verified
    assert outcomes["scale"].verified and outcomes["scale"].changes


@pytest.mark.parametrize("target", ARGS)
def test_json_and_sarif_are_valid(target: str, outcomes: Mapping[str, Outcome]) -> None:
    VALIDATOR.validate(json.loads(written(outcomes[target], "json")))
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(written(outcomes[target], "sarif")))


def test_the_fault_is_marked_where_it_lies_in_all_of_them(outcomes: Mapping[str, Outcome]) -> None:
    line = MODEL.splitlines().index("        try:") + 1
    log: dict[str, Any] = json.loads(written(outcomes["Net"], "sarif", code=3))
    errors = [result for result in log["runs"][0]["results"] if result["level"] == "error"]
    (error,) = errors
    assert (error["ruleId"], error["locations"][0]["physicalLocation"]["region"]["startLine"]) == ("PDT004", line)
    assert "inner" in error["message"]["text"]
    commands = [parse(text) for text in written(outcomes["Net"], "github").decode().splitlines()]
    (marked,) = [properties for name, properties, _ in commands if name == "error"]
    assert (marked["file"], marked["line"]) == ("model.py", str(line))
    cases = ElementTree.fromstring(written(outcomes["Net"], "junit")).iter("testcase")
    failed = {case.attrib["name"] for case in cases if case.find("failure") is not None}
    assert failed == {"scripts", "part inner"}


def test_a_fix_of_a_real_run_gives_what_it_verified(outcomes: Mapping[str, Outcome]) -> None:
    outcome = outcomes["scale"]
    fixed = sarif_consumer.apply_fixes(json.loads(written(outcome, "sarif")), Path(outcome.root))
    assert fixed == {Path(change.file): change.after for change in outcome.changes}
