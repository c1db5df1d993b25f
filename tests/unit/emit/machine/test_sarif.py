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
import mended_outcomes
import pytest
import sarif_consumer
from changes import change_of
from outcomes import fail, make_outcome
from repository import ROOT
from schemas import SARIF_SCHEMA as SCHEMA

from pdt_annotate.emit.machine import sarif
from pdt_annotate.emit.machine.invocation import Invocation
from pdt_annotate.findings.catalogue import entries
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.outcome import FileChange, Ignored, IgnoredBy, Outcome
from pdt_annotate.values.places import Place
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.verdicts import Answers, Blame, Failure, Fault, Part
from pdt_annotate.verify.texts import judge_program

Json = dict[str, Any]


def log_of(outcome: Outcome, write_back: WriteBack = WriteBack.CHECK, code: int = 1, base: str = "") -> Json:
    """The log as it is written and read again, checked against the standard's schema."""
    log: Json = json.loads(sarif.render(outcome, Invocation(base or outcome.root, write_back, code)))
    jsonschema.Draft202012Validator(SCHEMA).validate(log)
    return log


def run_of(outcome: Outcome, write_back: WriteBack = WriteBack.CHECK, code: int = 1, base: str = "") -> Json:
    (run,) = log_of(outcome, write_back, code, base)["runs"]
    return dict(run)


def results_of(run: Json, code: str) -> list[Json]:
    return [result for result in run["results"] if result["ruleId"] == code]


def test_the_schema_refuses_what_is_not_sarif() -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate({"version": "2.1.0", "runs": [{"tool": {}, "results": []}]})


def test_a_run_without_anything_to_say_has_no_results(tmp_path: Path) -> None:
    run = run_of(Outcome((), str(tmp_path), verified=True), code=0)
    assert (run["results"], run["artifacts"]) == ([], [])
    assert run["invocations"] == [
        {"executionSuccessful": True, "exitCode": 0, "exitCodeDescription": "done, or nothing to do"}
    ]


def test_nothing_is_missing_or_to_fix_once_it_is_written(tmp_path: Path) -> None:
    run = run_of(make_outcome(tmp_path), WriteBack.IN_PLACE, 0)
    assert [result["ruleId"] for result in run["results"]] == ["PDT030"]
    assert "fixes" not in run["results"][0]
    assert run["artifacts"] == []


def test_changes_that_failed_are_no_fix(tmp_path: Path) -> None:
    run = run_of(fail(make_outcome(tmp_path)), code=3)
    assert results_of(run, "PDT090") == []
    assert [result for result in run["results"] if "fixes" in result] == []


def test_nothing_tells_where_or_when_it_was_made(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    logs = [log_of(fail(make_outcome(tmp_path / name), f"in {tmp_path / name}/model.py")) for name in ("one", "two")]
    assert logs[0] == logs[1]
    assert str(tmp_path) not in json.dumps(logs[0])


def test_a_function_without_annotations_is_a_result_at_its_name(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    run = run_of(outcome)
    (result,) = results_of(run, "PDT090")
    assert result["level"] == "error"
    assert result["message"]["text"] == "Net.forward lacks x: Tensor, mask: Optional[Tensor]"
    (location,) = result["locations"]
    assert location["logicalLocations"] == [{"fullyQualifiedName": "Net.forward"}]
    physical = location["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "model.py", "uriBaseId": "%SRCROOT%"}
    region = physical["region"]
    assert region == {"startLine": 5, "startColumn": 9, "endLine": 5, "endColumn": 16}
    assert sarif_consumer.text_of(run, tmp_path, physical["artifactLocation"], region) == "forward"


def test_fixes_are_small(tmp_path: Path) -> None:
    (result,) = results_of(run_of(make_outcome(tmp_path)), "PDT090")
    replacements = result["fixes"][0]["artifactChanges"][0]["replacements"]
    inserted = [each["insertedContent"]["text"] for each in replacements]
    assert ": Tensor" in inserted
    assert all(each["deletedRegion"]["startLine"] == each["deletedRegion"]["endLine"] for each in replacements)
    assert not any("self" in text for text in inserted)


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


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize("file", ["model.py", "with space/größe.py", "a:b/100%.py"])
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


def test_rules_are_those_of_the_results(tmp_path: Path) -> None:
    run = run_of(make_outcome(tmp_path))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["PDT030", "PDT090"]
    assert [result["ruleId"] for result in run["results"]] == ["PDT090", "PDT030"]
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]


def test_links_go_to_the_headings_of_the_page(tmp_path: Path) -> None:
    driver = run_of(make_outcome(tmp_path))["tool"]["driver"]
    anchors = re.findall(r'<a id="(\w+)"></a>', (ROOT / "docs/findings.md").read_text())
    for rule in driver["rules"]:
        page, anchor = rule["helpUri"].split("findings.md#")
        assert page == f"{driver['informationUri']}/blob/main/docs/" and anchor in anchors


def test_a_finding_that_is_ignored_is_suppressed_and_the_others_say_that_they_are_not(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    ignored = Ignored(outcome.findings[0], IgnoredBy.IN_SOURCE, "# pdt: ignore[PDT030]")
    run = run_of(replace(outcome, findings=(), ignored=(ignored,)))
    suppressions = {result["ruleId"]: result["suppressions"] for result in run["results"]}
    assert suppressions == {
        "PDT030": [{"kind": "inSource", "justification": "# pdt: ignore[PDT030]"}],
        "PDT090": [],
    }
    assert not any("suppressions" in result for result in run_of(outcome)["results"])


def test_a_result_is_known_again_when_its_annotations_are_written(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    (checked,) = results_of(run_of(outcome), "PDT030")
    (written,) = results_of(run_of(outcome, WriteBack.IN_PLACE, 0), "PDT030")
    assert checked["locations"] != written["locations"]
    assert checked["partialFingerprints"] == written["partialFingerprints"]


def test_a_failed_verdict_is_an_error_on_the_lines_of_the_disk(tmp_path: Path) -> None:
    run = run_of(fail(make_outcome(tmp_path)), code=3)
    assert run["invocations"][0]["exitCode"] == 3
    (result,) = [each for each in run["results"] if each["level"] == "error"]
    # The judge saw line 8 of the annotated file, which has two lines more.
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 6, "startColumn": 39}
    (related,) = result["relatedLocations"]
    assert related["physicalLocation"]["region"] == {"startLine": 4, "startColumn": 7}
    assert related["message"] == {"text": "called from here"}


def test_a_fault_stands_once_with_its_parts_and_its_advice(tmp_path: Path) -> None:
    outcome = fail(make_outcome(tmp_path))
    (target,), file = outcome.targets, outcome.changes[0].file
    fault = Fault("PDT004", Failure("no try", "RuntimeError", Place(file, 6)), advice=("Write it plainly.",))
    parts = [Part(f"layers.{i}", "Net", Place(file, 4), answers=Answers.UNKNOWN, faults=(fault,)) for i in range(3)]
    run = run_of(replace(outcome, blame=(Blame(target, tuple(parts)),), changes=()), code=3)
    (result,) = results_of(run, "PDT004")
    assert result["message"]["text"] == "no try\n(in layers.0 to layers.2)\nWrite it plainly."
    assert result["locations"][0]["logicalLocations"] == [{"fullyQualifiedName": "Net"}]


def test_a_file_outside_is_named_from_the_import_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "root").mkdir()
    monkeypatch.syspath_prepend(tmp_path / "lib")
    outcome = make_outcome(tmp_path / "root")
    finding = replace(outcome.findings[0], place=Place(str(tmp_path / "lib" / "pkg" / "m.py"), 5))
    run = run_of(replace(outcome, findings=(finding,)))
    (result,) = results_of(run, "PDT030")
    location = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "pkg/m.py", "uriBaseId": "IMPORTPATH"}
    assert set(run["originalUriBaseIds"]) == {"%SRCROOT%", "IMPORTPATH"}


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
    outcome = mended_outcomes.mended_outcome(tmp_path)
    log = log_of(outcome)
    assert sarif_consumer.apply_fixes(log, tmp_path) == {tmp_path / "model.py": mended_outcomes.AFTER.encode()}
    mended = results_of(log["runs"][0], "PDT092")
    assert {each["fixes"][0]["description"]["text"] for each in mended} == {
        "Change the code, with the annotations and their imports."
    }


def test_the_fix_of_a_mend_changes_its_function_alone(tmp_path: Path) -> None:
    log = log_of(mended_outcomes.mended_outcome(tmp_path))
    first = results_of(log["runs"][0], "PDT092")[0]
    ((_, fixed),) = sarif_consumer.apply_fixes(log, tmp_path, [first]).items()
    expected = mended_outcomes.SOURCE.replace("(lambda t: t / by)(x)", "x / by")
    assert fixed.decode() == f"from typing import Optional\n\n{expected}"
