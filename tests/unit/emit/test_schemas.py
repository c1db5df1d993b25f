"""The published schemas of JSON documents: what they refuse, and that they say exactly what is written."""

from __future__ import annotations

import copy
import enum
import json
from pathlib import Path

import golden
import jsonschema
import pytest
from captured import make_captures
from outcomes import OUTCOMES, everything
from schemas import CAPTURES_SCHEMA, CAPTURES_VALIDATOR, OUTPUT_SCHEMA, OUTPUT_VALIDATOR, Json, at, objects

from pdt_annotate.emit.machine import json_file
from pdt_annotate.findings.catalogue import entries
from pdt_annotate.values.captures import CaptureClass, Fate
from pdt_annotate.values.mends import MendKind, MendLevel
from pdt_annotate.values.slots import Origin, SlotKind
from pdt_annotate.values.verdicts import Answers

OPTIONAL = (
    *(((), key) for key in ("overlaid", "outdated", "timings", "mends", "advised", "ignored")),
    (("blame", 0), "unjudged"),
)


@pytest.mark.parametrize(
    ("schema", "name", "version"),
    [
        (OUTPUT_SCHEMA, "output", json_file.SCHEMA_VERSION),
        (CAPTURES_SCHEMA, "captures", json_file.CAPTURES_VERSION),
    ],
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
    # The counts of operators have names that are not ours.
    paths = [path for path in objects(document) if path[-1:] != ("operators",)]
    assert len(paths) > 20
    for path in paths:
        changed = copy.deepcopy(document)
        at(changed, path)["surprise"] = 1
        assert not validator.is_valid(changed), path
        for key in at(document, path):
            changed = copy.deepcopy(document)
            del at(changed, path)[key]
            assert not validator.is_valid(changed) or (path, key) in OPTIONAL, (path, key)


def test_no_key_is_described_that_is_never_written(tmp_path: Path) -> None:
    document = json_file.document(everything(tmp_path))
    written = {key for path in objects(document) for key in at(document, path)}
    described = {key for path in objects(OUTPUT_SCHEMA) for key in at(OUTPUT_SCHEMA, path).get("properties", {})}
    assert described == written


def test_every_document_is_valid() -> None:
    files = [golden.FIXTURES / name / "expected.json" for name in golden.names()]
    files += [Path(__file__).parent / "twenty" / f"{name}.json" for name in OUTCOMES]
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


def test_codes_levels_and_counts_are_those_of_the_program() -> None:
    assert OUTPUT_SCHEMA["$defs"]["level"]["enum"] == [each.value for each in MendLevel]
    code = jsonschema.Draft202012Validator(OUTPUT_SCHEMA["$defs"]["code"])
    assert all(code.is_valid(each) for each in entries())
    operators = jsonschema.Draft202012Validator(CAPTURES_SCHEMA["$defs"]["capture"]["properties"]["operators"])
    assert operators.is_valid({"aten::mul": 2})
    assert not operators.is_valid({"aten::mul": 0})


def test_what_the_schemas_share_is_the_same() -> None:
    shared = CAPTURES_SCHEMA["$defs"].keys() & OUTPUT_SCHEMA["$defs"].keys()
    assert {"file", "finding", "failure"} <= shared
    assert all(CAPTURES_SCHEMA["$defs"][name] == OUTPUT_SCHEMA["$defs"][name] for name in shared)
