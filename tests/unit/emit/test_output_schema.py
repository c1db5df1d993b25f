"""The published schema of the JSON document: what it refuses, and that it says exactly what is written."""

from __future__ import annotations

import copy
import enum
import json
from pathlib import Path

import golden
import jsonschema
import pytest
from outcomes import OUTCOMES, everything
from schemas import OUTPUT_SCHEMA as SCHEMA
from schemas import OUTPUT_VALIDATOR as VALIDATOR
from schemas import at, objects

from pdt_annotate.emit.machine import json_file
from pdt_annotate.findings.catalogue import entries
from pdt_annotate.values.mends import MendKind, MendLevel
from pdt_annotate.values.slots import Origin, SlotKind
from pdt_annotate.values.verdicts import Answers

OPTIONAL = (
    *(((), key) for key in ("overlaid", "outdated", "timings", "mends", "advised", "ignored")),
    (("blame", 0), "unjudged"),
)


def test_it_is_a_schema_with_a_name_and_a_version() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == f"urn:pdt-annotate:output:{json_file.SCHEMA_VERSION}"
    assert SCHEMA["properties"]["schema_version"] == {
        "description": "Raised when a key is removed or changes its meaning.",
        "const": json_file.SCHEMA_VERSION,
    }


def test_a_key_that_it_does_not_know_is_refused_wherever_it_stands(tmp_path: Path) -> None:
    document = json_file.document(everything(tmp_path))
    VALIDATOR.validate(document)
    paths = list(objects(document))
    assert len(paths) > 30
    for path in paths:
        changed = copy.deepcopy(document)
        at(changed, path)["surprise"] = 1
        assert not VALIDATOR.is_valid(changed), path


def test_a_key_that_is_not_written_is_missed_wherever_it_stood(tmp_path: Path) -> None:
    document = json_file.document(everything(tmp_path))
    for path in objects(document):
        for key in at(document, path):
            changed = copy.deepcopy(document)
            del at(changed, path)[key]
            assert not VALIDATOR.is_valid(changed) or (path, key) in OPTIONAL, (path, key)


def test_it_describes_no_key_that_is_never_written(tmp_path: Path) -> None:
    document = json_file.document(everything(tmp_path))
    written = {key for path in objects(document) for key in at(document, path)}
    described = {key for path in objects(SCHEMA) for key in at(SCHEMA, path).get("properties", {})}
    assert described == written


@pytest.mark.parametrize("name", golden.names())
def test_what_every_fixture_gives_is_valid(name: str) -> None:
    VALIDATOR.validate(json.loads((golden.FIXTURES / name / "expected.json").read_text()))


@pytest.mark.parametrize("name", OUTCOMES)
def test_every_outcome_is_valid(name: str) -> None:
    VALIDATOR.validate(json.loads((Path(__file__).parent / "twenty" / f"{name}.json").read_text()))


@pytest.mark.parametrize(
    ("values", "where"),
    [
        (Origin, ("annotation", "origin")),
        (SlotKind, ("slot", "kind")),
        (Answers, ("part", "answers")),
        (MendKind, ("mend", "kind")),
    ],
)
def test_its_lists_of_values_are_those_of_the_program(values: type[enum.Enum], where: tuple[str, str]) -> None:
    name, key = where
    assert SCHEMA["$defs"][name]["properties"][key]["enum"] == [each.value for each in values]


def test_every_code_of_the_catalogue_fits() -> None:
    validator = jsonschema.Draft202012Validator(SCHEMA["$defs"]["code"])
    assert all(validator.is_valid(code) for code in entries())


def test_its_levels_are_those_of_the_program() -> None:
    assert SCHEMA["$defs"]["level"]["enum"] == [each.value for each in MendLevel]
