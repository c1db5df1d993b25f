"""The expected results of the fixtures as outcomes, without a run. The rewrite makes the bytes."""

import json
from pathlib import Path
from typing import Any

import golden
from lint import rewrite_fixture

from pdt_annotate.emit.files import diff
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.runs import Target
from pdt_annotate.values.slots import Annotation, Finding, Origin, Owner, Place, Slot, SlotKind
from pdt_annotate.values.types import TypeExpr
from pdt_annotate.values.verdicts import Verdict


def load(name: str, parent: Path) -> Outcome:
    """The outcome of a fixture. A copy of the fixture without annotations is made in `parent`."""
    folder = golden.copy(name, parent)
    found = json.loads((golden.FIXTURES / name / "expected.json").read_text())
    rewritten = rewrite_fixture(golden.FIXTURES / name, folder)
    outcome = Outcome(
        targets=tuple(Target(text, "", "", "") for text in found["targets"]),
        root=str(folder),
        changes=tuple(FileChange(str(file), file.read_bytes(), each.source, each.edits) for file, each in rewritten),
        annotations=tuple(_annotation(each, folder) for each in found["annotations"]),
        findings=tuple(_finding(each, folder) for each in found["findings"]),
        verdicts=tuple(Verdict(each["judge"], each["ok"]) for each in found["verdicts"]),
        verified=found["verified"],
    )
    assert diff.render(outcome) == (golden.FIXTURES / name / "expected.diff").read_bytes()
    return outcome


def _annotation(found: dict[str, Any], folder: Path) -> Annotation:
    name = found["annotation"].removeprefix("Final[")[: -1 if found["final"] else None]
    return Annotation(_slot(found["slot"], folder), TypeExpr(name), Origin(found["origin"]), final=found["final"])


def _finding(found: dict[str, Any], folder: Path) -> Finding:
    slot = _slot(found["slot"], folder) if found["slot"] else None
    file = str(folder / found["file"]) if found["file"] else ""
    return Finding(found["code"], found["message"], Place(file, found["line"], found["column"]), slot)


def _slot(found: dict[str, Any], folder: Path) -> Slot:
    owner = Owner(str(folder / found["file"]), found["function"], found["line"])
    return Slot(owner, SlotKind(found["kind"]), found["name"], found["slot_line"])
