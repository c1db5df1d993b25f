"""SARIF logs: what stays out of them, the schema, and fixes that give the verified bytes when another reader applies
them."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import golden
import golden_outcomes
import jsonschema
import pytest
import sarif_consumer
from changes import change_of
from outcomes import MENDABLE, MENDED_AFTER, make_outcome, mended_outcome
from repository import ROOT
from schemas import SARIF_SCHEMA as SCHEMA

from pdt_annotate.emit.machine import sarif
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.findings.catalogue import entries
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import FileChange, Outcome
from pdt_annotate.values.slots import Owner
from pdt_annotate.verify.texts import judge_program

Json = dict[str, Any]
TWENTY = Path(__file__).parents[1] / "twenty"
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
ANCHORS = set(re.findall(r'<a id="(\w+)"></a>', (ROOT / "docs/findings.md").read_text()))


def log_of(outcome: Outcome, write_back: WriteBack = WriteBack.CHECK, code: int = 1, base: str = "") -> Json:
    """The log as it is written and read again, checked against the standard's schema."""
    log: Json = json.loads(sarif.render(outcome, Invocation(base or outcome.root, write_back, code)))
    VALIDATOR.validate(log)
    return log


def run_of(outcome: Outcome, write_back: WriteBack = WriteBack.CHECK, code: int = 1, base: str = "") -> Json:
    (run,) = log_of(outcome, write_back, code, base)["runs"]
    return dict(run)


def results_of(run: Json, code: str) -> list[Json]:
    return [result for result in run["results"] if result["ruleId"] == code]


def test_the_schema_refuses_what_is_not_sarif() -> None:
    assert not VALIDATOR.is_valid({"version": "2.1.0", "runs": [{"tool": {}, "results": []}]})


@pytest.mark.parametrize("golden", sorted(TWENTY.glob("*.sarif")), ids=lambda file: file.stem)
def test_every_log_is_valid_and_its_rules_are_those_of_its_results(golden: Path) -> None:
    log = json.loads(golden.read_text())
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} == {result["ruleId"] for result in run["results"]}
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    assert {rule["helpUri"].partition("findings.md#")[2] for rule in rules} <= ANCHORS


def test_a_result_is_known_again_when_its_annotations_are_written() -> None:
    runs = (json.loads((TWENTY / f"{name}.sarif").read_text())["runs"][0] for name in ("check", "verified"))
    (checked,), (written,) = (results_of(run, "PDT030") for run in runs)
    assert checked["locations"] != written["locations"]
    assert checked["partialFingerprints"] == written["partialFingerprints"]


@pytest.mark.parametrize("name", golden.names())
def test_fixes_give_the_bytes_that_were_verified(name: str, tmp_path: Path) -> None:
    outcome = golden_outcomes.load(name, tmp_path)
    log = log_of(outcome)
    fixed = sarif_consumer.apply_fixes(log, Path(outcome.root))
    assert fixed == {Path(change.file): change.after for change in outcome.changes}


@pytest.mark.parametrize("name", golden.names())
def test_every_fix_stands_by_itself(name: str, tmp_path: Path) -> None:
    """One result's fix alone changes annotations only, and brings the imports that they need."""
    outcome = golden_outcomes.load(name, tmp_path)
    log = log_of(outcome)
    missing = results_of(log["runs"][0], "PDT090")
    assert {result["message"]["text"].partition(" lacks ")[0] for result in missing} == {
        annotation.slot.owner.qualname for annotation in outcome.annotations
    }
    imports = {Path(change.file): import_names(change.after) for change in outcome.changes}
    for result in missing:
        ((file, fixed),) = sarif_consumer.apply_fixes(log, Path(outcome.root), [result]).items()
        assert fixed != file.read_bytes()
        assert judge_program((FileChange(str(file), file.read_bytes(), fixed),)).ok
        assert import_names(fixed) == imports[file]


def import_names(source: bytes) -> set[str]:
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom)))
    return {alias.asname or alias.name for node in nodes for alias in node.names}


BEFORE = "# größer 🦆\nclass Net:\n    def f(self, x, y): return '🦆' * x; 'é'\n    def g(self, 名, z=None): return z\n"
AFTER = (
    "# größer 🦆\nfrom typing import Optional\nclass Net:\n"
    "    def f(self, x: int, y): return '🦆' * x; 'é'\n    def g(self, 名: str, z: Optional[int] = None): return z\n"
)
LATIN = BEFORE.replace("🦆", "d").replace("名", "n"), AFTER.replace("🦆", "d").replace("名", "n")

CONTENTS = {
    "beyond the basic plane": (BEFORE.encode(), AFTER.encode()),
    "byte order mark": (BEFORE.encode("utf-8-sig"), AFTER.encode("utf-8-sig")),
    "crlf": (BEFORE.replace("\n", "\r\n").encode(), AFTER.replace("\n", "\r\n").encode()),
    "lone carriage return": (BEFORE.replace("\n", "\r").encode(), AFTER.replace("\n", "\r").encode()),
    "no final newline": (BEFORE.rstrip().encode(), AFTER.rstrip().encode()),
    "latin-1": tuple(("# coding: latin-1\n" + text).encode("latin-1") for text in LATIN),
    "windows": tuple(("# coding: cp1252\n" + text).encode("cp1252") for text in LATIN),
    "form feed": (b"\x0c" + BEFORE.encode(), b"\x0c" + AFTER.encode()),
    "at the end": (b"x = 1\n", b"x = 1\ny: int = 2\n"),
    "at the end without newline": (b"x = 1", b"x = 1\ny: int = 2"),
    "of nothing": (b"", b"import torch\n"),
}


@pytest.mark.parametrize(
    ("content", "file"),
    [*((content, "model.py") for content in CONTENTS), ("crlf", "with space/größe.py"), ("crlf", "a:b/100%.py")],
)
def test_fixes_give_the_same_bytes_for_any_source_and_name(content: str, file: str, tmp_path: Path) -> None:
    before, after = CONTENTS[content]
    path = tmp_path / file
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(before)
    outcome = Outcome((), str(tmp_path), (change_of(str(path), before, after),), verified=True)
    log = log_of(outcome)
    assert sarif_consumer.apply_fixes(log, tmp_path) == {path: after}
    (artifact,) = log["runs"][0]["artifacts"]
    assert artifact["location"]["uri"].isascii() and not set(artifact["location"]["uri"]) & set(" :")


def test_columns_count_as_the_log_says(tmp_path: Path) -> None:
    before = "class Net:\n    '🦆🦆'; 'é'\n    async def größe(self, x): return x\n".encode()
    after = before.replace(b"self, x", b"self, x: int")
    outcome = make_outcome(tmp_path)
    file = outcome.changes[0].file
    Path(file).write_bytes(before)
    owner = Owner(file, "Net.größe", 3)
    slot = replace(outcome.annotations[0].slot, owner=owner)
    annotation = replace(outcome.annotations[0], slot=slot)
    run = run_of(replace(outcome, changes=(change_of(file, before, after),), annotations=(annotation,)))
    physical = results_of(run, "PDT090")[0]["locations"][0]["physicalLocation"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert sarif_consumer.text_of(run, tmp_path, physical["artifactLocation"], physical["region"]) == "größe"


def test_files_are_named_from_the_base(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    run = run_of(make_outcome(tmp_path / "project"), base=str(tmp_path))
    assert {artifact["location"]["uri"] for artifact in run["artifacts"]} == {"project/model.py"}


def test_sarif_tools_reads_it(tmp_path: Path) -> None:
    pytest.importorskip("sarif", reason="there is no sarif-tools, which the extra `dev` installs")
    outcome = make_outcome(tmp_path)
    (tmp_path / "out.sarif").write_bytes(sarif.render(outcome, Invocation(outcome.root, WriteBack.CHECK, 1)))
    command = [sys.executable, "-m", "sarif", "summary", str(tmp_path / "out.sarif")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "error: 1" in done.stdout and "PDT090 Net.forward lacks x: Tensor" in done.stdout
    assert "warning: 1" in done.stdout


RULES = [sarif.rule(entry) for entry in entries().values()]


def test_names_are_identifiers_of_their_own() -> None:
    names = [rule["name"] for rule in RULES]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)


def test_only_what_asks_for_nothing_is_a_note() -> None:
    assert [rule["id"] for rule in RULES if rule["defaultConfiguration"]["level"] == "note"] == ["PDT066"]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("recursion", "Recursion"),
        ("*args or **kwargs", "ArgsOrKwargs"),
        ("keyword-only parameter with a default", "KeywordOnlyParameterWithDefault"),
        ("value without a TorchScript type", "ValueWithoutTorchScriptType"),
    ],
)
def test_a_title_becomes_a_name(title: str, name: str) -> None:
    assert sarif.pascal_case(title) == name


def test_help_shows_the_example_and_the_advice() -> None:
    rule = sarif.rule(entries()["PDT005"])
    assert "return f(x, n - 1)" in rule["help"]["markdown"] and rule["help"]["text"] in rule["help"]["markdown"]


def test_fixes_of_mends_give_the_bytes_that_were_verified(tmp_path: Path) -> None:
    outcome = mended_outcome(tmp_path)
    log = log_of(outcome)
    assert sarif_consumer.apply_fixes(log, tmp_path) == {tmp_path / "model.py": MENDED_AFTER.encode()}
    mended = results_of(log["runs"][0], "PDT092")
    assert {each["fixes"][0]["description"]["text"] for each in mended} == {
        "Change the code, with the annotations and their imports."
    }


def test_the_fix_of_a_mend_changes_its_function_alone(tmp_path: Path) -> None:
    log = log_of(mended_outcome(tmp_path))
    first = results_of(log["runs"][0], "PDT092")[0]
    ((_, fixed),) = sarif_consumer.apply_fixes(log, tmp_path, [first]).items()
    expected = MENDABLE.replace("(lambda t: t / by)(x)", "x / by")
    assert fixed.decode() == f"from typing import Optional\n\n{expected}"
