"""Machine output: its schemas, other programs that read it, and fixes that result in the verified bytes."""

import ast
import enum
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import golden
import golden_outcomes
import jsonschema
import pytest
import sarif_consumer
from captured import make_captures
from changes import change_of
from outcomes import MENDABLE, MENDED_AFTER, OUTCOMES, everything, fail, make_outcome, mended_outcome
from repository import DATA, ROOT
from schemas import (
    CAPTURES_SCHEMA,
    CAPTURES_VALIDATOR,
    OUTPUT_SCHEMA,
    OUTPUT_VALIDATOR,
    SARIF_SCHEMA,
    Json,
    at,
    objects,
)
from workflow_command import parse

from pdt_annotate.emit.machine import github, json_file, junit, sarif
from pdt_annotate.emit.machine.invocation import Invocation, Moved, choose_base
from pdt_annotate.emit.messages import Message
from pdt_annotate.findings.catalogue import entries
from pdt_annotate.settings.options import WriteBack
from pdt_annotate.values.capture_results import CaptureClass, Fate
from pdt_annotate.values.mends import MendKind, MendLevel
from pdt_annotate.values.outcome import FileChange, Outcome, Overlaid
from pdt_annotate.values.slots import NO_PLACE, Origin, Owner, Place, Severity, SlotKind
from pdt_annotate.values.verdicts import Answers, Part
from pdt_annotate.verify.text_judges import judge_program

TWENTY = Path(__file__).parents[1] / "twenty"
VALIDATOR = jsonschema.Draft202012Validator(SARIF_SCHEMA)
ANCHORS = set(re.findall(r'<a id="(\w+)"></a>', (ROOT / "docs/findings.md").read_text()))


@pytest.mark.parametrize(
    ("root", "directory", "base"),
    [
        ("a", "b", "a"),
        ("project", "pro", "project"),
        ("project", "project/src", "project"),
        ("project", "", ""),
        ("project", "project", "project"),
        ("link/project", "real", "real"),
    ],
)
def test_files_are_named_from_the_root_or_from_above_it(root: str, directory: str, base: str, tmp_path: Path) -> None:
    (tmp_path / "real" / "project").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    assert choose_base(str(tmp_path / root), str(tmp_path / directory)) == str(tmp_path / base)


@pytest.mark.parametrize(
    ("make", "write_back", "judged", "left"),
    [
        *((make_outcome, each, (5, 26), (5, 26)) for each in (WriteBack.CHECK, WriteBack.DIFF, WriteBack.STUBS)),
        # The change adds two lines at the top. A failed run writes nothing, although the judges saw the changed file.
        (make_outcome, WriteBack.IN_PLACE, (5, 26), (7, 34)),
        (lambda root: fail(make_outcome(root)), WriteBack.IN_PLACE, (7, 34), (5, 26)),
        (lambda root: kept(make_outcome(root)), WriteBack.IN_PLACE, (5, 26), (7, 34)),
    ],
)
def test_lines_are_those_that_a_command_leaves(
    make: Any, write_back: WriteBack, judged: tuple[int, int], left: tuple[int, int], tmp_path: Path
) -> None:
    outcome = make(tmp_path)
    file = outcome.changes[0].file
    moved = Moved(outcome, Invocation(outcome.root, write_back))
    assert moved.found(Place(file, 5, 26)) == moved.judged(Place(file, *judged)) == Place(file, *left)
    for place, same in ((Place(file, 5), Place(file, left[0])), (Place("other.py", 5, 3),) * 2, (NO_PLACE,) * 2):
        assert moved.found(place) == same


def kept(outcome: Outcome) -> Outcome:
    return replace(fail(outcome), kept=(Part("a", "Act"),))


def test_sound_is_what_held_or_was_kept(tmp_path: Path) -> None:
    outcome = make_outcome(tmp_path)
    as_text = replace(outcome, verified=False, verdicts=outcome.verdicts[:1])
    sound = [outcome, kept(outcome), as_text, fail(outcome), replace(outcome, verified=False)]
    assert [each.is_sound for each in sound] == [True, True, True, False, False]


@pytest.mark.parametrize("text", ["100%", "%0A", "%250A", "a:b, c=d", "::error::x", "line\nother\n", "größe 🦆", "="])
def test_any_text_in_a_workflow_command_arrives_as_it_was(text: str, tmp_path: Path) -> None:
    message = Message(Severity.NOTE, "PDT004", text, Place(str(tmp_path / text.strip()), 3), advice=("do",))
    line = github.command(message, str(tmp_path))
    assert not set(line) & set("\r\n")
    title = "PDT004 construct that TorchScript cannot compile"
    assert parse(line) == ("notice", {"file": text.strip(), "line": "3", "title": title}, f"{text}\ndo")


def test_json_names_the_mended_functions_of_an_overlay(tmp_path: Path) -> None:
    outcome = mended_outcome(tmp_path)
    outcome = replace(outcome, changes=(), overlaid=(Overlaid("model", outcome.changes[0]),))
    assert json_file.document(outcome)["overlaid"][0]["functions"] == ["Block.forward", "halve"]


def test_characters_that_xml_lacks_are_spelled_and_the_others_stay(tmp_path: Path) -> None:
    outcome = fail(make_outcome(tmp_path), "a\x00b\x1b[31m\ud800\ufffe <&>\"' größe 🦆\tend")
    shown = "a\\x00b\\x1b[31m\\ud800 <&>\"' größe 🦆\tend"
    written = junit.render(outcome, Invocation(outcome.root, WriteBack.CHECK))
    (failure,) = ElementTree.fromstring(written).iter("failure")
    assert failure.attrib["message"] == shown
    assert (failure.text or "").startswith(f"{shown}\n")


def test_junit_is_valid_for_the_schema_of_the_xunit_plugin_and_counts_its_cases() -> None:
    xmlschema = pytest.importorskip("xmlschema", reason="there is no xmlschema, which the extra `dev` installs")
    schema = xmlschema.XMLSchema(str(DATA / "junit-10.xsd"))
    assert not schema.is_valid("<testsuites><testsuite name='x'/></testsuites>")
    for text in (file.read_text() for file in TWENTY.glob("*.xml")):
        schema.validate(text)
        for suite in ElementTree.fromstring(text):
            assert suite.attrib["tests"] == str(len(suite.findall("testcase")))
            assert suite.attrib["failures"] == str(len(suite.findall("testcase[failure]")))


def test_a_reader_of_junit_sees_the_same() -> None:
    junitparser = pytest.importorskip("junitparser", reason="there is no junitparser, which the extra `dev` installs")
    read = junitparser.JUnitXml.fromstring((TWENTY / "partial.xml").read_bytes())
    (suite,) = read
    assert (read.tests, read.failures, suite.name) == (6, 2, "model.py:Net")
    failed = {case.name: [result.message for result in case.result] for case in suite if case.is_failure}
    assert failed["part act"] == ["try blocks aren't supported"] * 2


def log_of(outcome: Outcome, base: str = "") -> Json:
    """The log after it is written and read again, and checked against the schema of the standard."""
    log: Json = json.loads(sarif.render(outcome, Invocation(base or outcome.root, WriteBack.CHECK, 1)))
    VALIDATOR.validate(log)
    return log


def results_of(log: Json, code: str) -> list[Json]:
    return [result for result in log["runs"][0]["results"] if result["ruleId"] == code]


@pytest.mark.parametrize("golden", sorted(TWENTY.glob("*.sarif")), ids=lambda file: file.stem)
def test_every_log_is_valid_and_its_rules_are_those_of_its_results(golden: Path) -> None:
    log = json.loads(golden.read_text())
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert {rule["id"] for rule in rules} == {result["ruleId"] for result in run["results"]}
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    assert {rule["helpUri"].partition("findings.md#")[2] for rule in rules} <= ANCHORS
    assert not VALIDATOR.is_valid({"version": "2.1.0", "runs": [{"tool": {}, "results": []}]})


def test_a_result_is_known_again_when_its_annotations_are_written() -> None:
    logs = (json.loads((TWENTY / f"{name}.sarif").read_text()) for name in ("check", "verified"))
    (checked,), (written,) = (results_of(log, "PDT030") for log in logs)
    assert checked["locations"] != written["locations"]
    assert checked["partialFingerprints"] == written["partialFingerprints"]


@pytest.mark.parametrize("name", golden.names())
def test_fixes_give_the_bytes_that_were_verified_and_each_holds_by_itself(name: str, tmp_path: Path) -> None:
    """The fix of one result changes only annotations, and adds the imports that they need."""
    outcome = golden_outcomes.load(name, tmp_path)
    log, root = log_of(outcome), Path(outcome.root)
    assert sarif_consumer.apply_fixes(log, root) == {Path(change.file): change.after for change in outcome.changes}
    missing = results_of(log, "PDT090")
    assert {result["message"]["text"].partition(" lacks ")[0] for result in missing} == {
        annotation.slot.owner.qualname for annotation in outcome.annotations
    }
    imports = {Path(change.file): import_names(change.after) for change in outcome.changes}
    for result in missing:
        ((file, fixed),) = sarif_consumer.apply_fixes(log, root, [result]).items()
        assert fixed != file.read_bytes()
        assert judge_program((FileChange(str(file), file.read_bytes(), fixed),)).ok
        assert import_names(fixed) == imports[file]


def import_names(source: bytes) -> set[str]:
    nodes = (node for node in ast.walk(ast.parse(source)) if isinstance(node, (ast.Import, ast.ImportFrom)))
    return {alias.asname or alias.name for node in nodes for alias in node.names}


def test_the_fix_of_a_mend_changes_its_function_alone(tmp_path: Path) -> None:
    log = log_of(mended_outcome(tmp_path))
    assert sarif_consumer.apply_fixes(log, tmp_path) == {tmp_path / "model.py": MENDED_AFTER.encode()}
    mended = results_of(log, "PDT092")
    assert {each["fixes"][0]["description"]["text"] for each in mended} == {
        "Change the code, with the annotations and their imports."
    }
    ((_, fixed),) = sarif_consumer.apply_fixes(log, tmp_path, mended[:1]).items()
    expected = MENDABLE.replace("(lambda t: t / by)(x)", "x / by")
    assert fixed.decode() == f"from typing import Optional\n\n{expected}"


BEFORE = "# größer 🦆\nclass Net:\n    def f(self, x, y): return '🦆' * x; 'é'\n    def g(self, 名, z=None): return z\n"
AFTER = (
    "# größer 🦆\nfrom typing import Optional\nclass Net:\n"
    "    def f(self, x: int, y): return '🦆' * x; 'é'\n    def g(self, 名: str, z: Optional[int] = None): return z\n"
)
LATIN = [text.replace("🦆", "d").replace("名", "n") for text in (BEFORE, AFTER)]
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
    log = log_of(Outcome((), str(tmp_path), (change_of(str(path), before, after),), verified=True))
    assert sarif_consumer.apply_fixes(log, tmp_path) == {path: after}
    (artifact,) = log["runs"][0]["artifacts"]
    assert artifact["location"]["uri"].isascii()
    assert not set(artifact["location"]["uri"]) & set(" :")


def test_columns_count_as_the_log_says_and_files_are_named_from_the_base(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    before = "class Net:\n    '🦆🦆'; 'é'\n    async def größe(self, x): return x\n".encode()
    outcome = make_outcome(tmp_path / "project")
    change = change_of(outcome.changes[0].file, before, before.replace(b"self, x", b"self, x: int"))
    Path(change.file).write_bytes(before)
    slot = replace(outcome.annotations[0].slot, owner=Owner(change.file, "Net.größe", 3))
    annotations = (replace(outcome.annotations[0], slot=slot),)
    log = log_of(replace(outcome, changes=(change,), annotations=annotations), base=str(tmp_path))
    (run,) = log["runs"]
    physical = results_of(log, "PDT090")[0]["locations"][0]["physicalLocation"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert sarif_consumer.text_of(run, tmp_path, physical["artifactLocation"], physical["region"]) == "größe"
    assert {artifact["location"]["uri"] for artifact in run["artifacts"]} == {"project/model.py"}


def test_the_rules_of_the_catalogue() -> None:
    rules = {entry.code: sarif.rule(entry) for entry in entries().values()}
    names = [rule["name"] for rule in rules.values()]
    assert len(set(names)) == len(names)
    assert all(name.isidentifier() for name in names)
    assert {"Recursion", "ArgsOrKwargs", "KeywordOnlyParameterWithDefault", "ValueWithoutTorchScriptType"} <= set(names)
    assert [code for code, rule in rules.items() if rule["defaultConfiguration"]["level"] == "note"] == ["PDT066"]
    shown = rules["PDT005"]["help"]
    assert "return f(x, n - 1)" in shown["markdown"] and shown["text"] in shown["markdown"]


OPTIONAL = (
    *(((), key) for key in ("overlaid", "outdated", "timings", "mends", "advised", "places_left", "ignored")),
    (("blame", 0), "unjudged"),
)


@pytest.mark.parametrize(
    ("schema", "name", "version"),
    [(OUTPUT_SCHEMA, "output", json_file.SCHEMA_VERSION), (CAPTURES_SCHEMA, "captures", json_file.CAPTURES_VERSION)],
)
def test_each_is_a_schema_with_a_name_and_a_version(schema: Json, name: str, version: int) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:pdt-annotate:{name}:{version}"
    assert schema["properties"]["schema_version"]["const"] == version


@pytest.mark.parametrize("room", ["output", "captures"])
def test_a_key_too_many_is_refused_and_one_too_few_is_missed(room: str, tmp_path: Path) -> None:
    validator = OUTPUT_VALIDATOR if room == "output" else CAPTURES_VALIDATOR
    document = (
        json_file.document(everything(tmp_path))
        if room == "output"
        else json_file.captures_document(make_captures(tmp_path))
    )
    validator.validate(document)
    # The keys in the counts of operators are names of torch.
    paths = [path for path in objects(document) if path[-1:] != ("operators",)]
    assert len(paths) > 20
    # If maps in one list have the same keys, only the first is tested.
    alike = {
        (*(key for key in path if isinstance(key, str)), *sorted(at(document, path))): path for path in paths[::-1]
    }
    for path in alike.values():
        changed = at(document, path)
        changed["surprise"] = 1
        assert not validator.is_valid(document), path
        del changed["surprise"]
        for key in list(changed):
            value = changed.pop(key)
            assert not validator.is_valid(document) or (path, key) in OPTIONAL, (path, key)
            changed[key] = value


def test_every_document_is_valid_and_no_key_is_described_that_is_never_written(tmp_path: Path) -> None:
    # A next step has either mends or the reason why there are none.
    outcomes = (everything(tmp_path), replace(everything(tmp_path), advised=None))
    documents = [json.loads(json_file.render(each, Invocation("", command="pdt-annotate"))) for each in outcomes]
    written = {key for document in documents for path in objects(document) for key in at(document, path)}
    described = {key for path in objects(OUTPUT_SCHEMA) for key in at(OUTPUT_SCHEMA, path).get("properties", {})}
    assert described == written
    files = [golden.FIXTURES / name / "expected.json" for name in golden.names()]
    files += [TWENTY / f"{name}.json" for name in OUTCOMES]
    for file in files:
        OUTPUT_VALIDATOR.validate(json.loads(file.read_text()))
    CAPTURES_VALIDATOR.validate(json.loads(json.dumps(json_file.captures_document(()))))


@pytest.mark.parametrize(
    ("schema", "name", "key", "values", "left_out"),
    [
        (OUTPUT_SCHEMA, "annotation", "origin", Origin, ()),
        (OUTPUT_SCHEMA, "slot", "kind", SlotKind, ()),
        (OUTPUT_SCHEMA, "part", "answers", Answers, ()),
        (OUTPUT_SCHEMA, "mend", "kind", MendKind, ()),
        (CAPTURES_SCHEMA, "way", "class", CaptureClass, ()),
        (CAPTURES_SCHEMA, "capture", "fate", Fate, (Fate.NOT_COMPARED,)),
        (CAPTURES_SCHEMA, "call", "fate", Fate, (Fate.ABSENT,)),
    ],
)
def test_lists_of_values_are_those_of_the_program(
    schema: Json, name: str, key: str, values: type[enum.Enum], left_out: tuple[enum.Enum, ...]
) -> None:
    known = [each.value for each in values if each not in left_out]
    assert schema["$defs"][name]["properties"][key]["enum"] == known


def test_codes_levels_and_counts_are_those_of_the_program_and_what_the_schemas_share_is_the_same() -> None:
    assert OUTPUT_SCHEMA["$defs"]["level"]["enum"] == [each.value for each in MendLevel]
    code = jsonschema.Draft202012Validator(OUTPUT_SCHEMA["$defs"]["code"])
    assert all(code.is_valid(each) for each in entries())
    operators = jsonschema.Draft202012Validator(CAPTURES_SCHEMA["$defs"]["capture"]["properties"]["operators"])
    assert operators.is_valid({"aten::mul": 2})
    assert not operators.is_valid({"aten::mul": 0})
    shared = CAPTURES_SCHEMA["$defs"].keys() & OUTPUT_SCHEMA["$defs"].keys()
    assert {"file", "finding", "failure"} <= shared
    assert all(CAPTURES_SCHEMA["$defs"][name] == OUTPUT_SCHEMA["$defs"][name] for name in shared)
