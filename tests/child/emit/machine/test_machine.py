"""Machine output of real runs that succeed or fail: it is reproducible, valid, and has the right place of the fault."""

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import jsonschema
import pytest
import sarif_consumer
from schemas import OUTPUT_VALIDATOR, SARIF_SCHEMA
from workflow_command import parse

import pdt_annotate
from pdt_annotate.emit import FORMATS, render
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


def run(root: Path, name: str, *args: str) -> tuple[Outcome, dict[str, bytes]]:
    """The outcome of annotating a target, and its output in every format."""
    (root / "model.py").write_text(MODEL)
    (root / "pyproject.toml").touch()
    outcome = pdt_annotate.annotate(f"{root}/model.py:{name}", args=args)
    first, again = (
        {name: render(name, outcome, Invocation(outcome.root, WriteBack.CHECK, 1)) for name in FORMATS}
        for _ in range(2)
    )
    assert first == again
    assert all(written.endswith(b"\n") for written in first.values())
    # The text names the target as the user typed it, and files relative to the working directory.
    assert [name for name, written in first.items() if outcome.root.encode() in written] in ([], ["text"])
    OUTPUT_VALIDATOR.validate(json.loads(first["json"]))
    jsonschema.Draft202012Validator(SARIF_SCHEMA).validate(json.loads(first["sarif"]))
    return outcome, first


def test_a_fault_is_marked_where_it_lies_in_all_formats(tmp_path: Path) -> None:
    outcome, written = run(tmp_path, "Net", "f32[2]", "3")
    assert outcome.blame and not outcome.verified
    line = MODEL.splitlines().index("        try:") + 1
    (error,) = [each for each in json.loads(written["sarif"])["runs"][0]["results"] if each["level"] == "error"]
    assert (error["ruleId"], error["locations"][0]["physicalLocation"]["region"]["startLine"]) == ("PDT004", line)
    assert "inner" in error["message"]["text"]
    commands = [parse(text) for text in written["github"].decode().splitlines()]
    (marked,) = [properties for name, properties, _ in commands if name == "error"]
    assert (marked["file"], marked["line"]) == ("model.py", str(line))
    cases = ElementTree.fromstring(written["junit"]).iter("testcase")
    failed = {case.attrib["name"] for case in cases if case.find("failure") is not None}
    assert failed == {"scripts", "part inner"}


def test_sarif_tools_reads_a_log(tmp_path: Path) -> None:
    pytest.importorskip("sarif", reason="there is no sarif-tools, which the extra `dev` installs")
    log = tmp_path / "out.sarif"
    log.write_bytes(run(tmp_path, "Net", "f32[2]", "3")[1]["sarif"])
    done = subprocess.run([sys.executable, "-m", "sarif", "summary", log], capture_output=True, text=True, check=True)
    assert "error: 1" in done.stdout and "PDT004" in done.stdout


def test_a_fix_of_a_run_gives_what_it_verified(tmp_path: Path) -> None:
    outcome, written = run(tmp_path, "scale", "f32[2]", "3", "[1.5]")
    assert outcome.verified and outcome.changes
    fixed = sarif_consumer.apply_fixes(json.loads(written["sarif"]), Path(outcome.root))
    assert fixed == {Path(change.file): change.after for change in outcome.changes}
