"""The published schema of `captures --json`: what it refuses, and that it says exactly what is written."""

from __future__ import annotations

import copy
import enum
import json
from pathlib import Path

import jsonschema
import pytest
from captured import make_captures
from schemas import CAPTURES_SCHEMA as SCHEMA
from schemas import CAPTURES_VALIDATOR as VALIDATOR
from schemas import OUTPUT_SCHEMA, at, objects

from pdt_annotate.emit.machine import json_file
from pdt_annotate.values.captures import CaptureClass, Fate


def test_it_is_a_schema_with_a_name_and_a_version() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$id"] == f"urn:pdt-annotate:captures:{json_file.CAPTURES_VERSION}"
    assert SCHEMA["properties"]["schema_version"]["const"] == json_file.CAPTURES_VERSION


def test_a_key_too_many_is_refused_and_one_too_few_is_missed(tmp_path: Path) -> None:
    document = json_file.captures_document(make_captures(tmp_path))
    VALIDATOR.validate(document)
    for path in objects(document):
        if path[-1:] == ("operators",):
            continue  # counts, by names that are not ours
        for key in at(document, path):
            changed = copy.deepcopy(document)
            del at(changed, path)[key]
            assert not VALIDATOR.is_valid(changed), (path, key)
        changed = copy.deepcopy(document)
        at(changed, path)["surprise"] = 1
        assert not VALIDATOR.is_valid(changed), path


def test_operators_are_counted() -> None:
    operators = jsonschema.Draft202012Validator(SCHEMA["$defs"]["capture"]["properties"]["operators"])
    assert operators.is_valid({"aten::mul": 2}) and not operators.is_valid({"aten::mul": 0})


@pytest.mark.parametrize(
    ("values", "where", "left_out"),
    [
        (CaptureClass, ("way", "class"), ()),
        (Fate, ("capture", "fate"), (Fate.NOT_COMPARED,)),
        (Fate, ("call", "fate"), (Fate.ABSENT,)),
    ],
)
def test_its_lists_of_values_are_those_of_the_program(
    values: type[enum.Enum], where: tuple[str, str], left_out: tuple[enum.Enum, ...]
) -> None:
    name, key = where
    known = [each.value for each in values if each not in left_out]
    assert SCHEMA["$defs"][name]["properties"][key]["enum"] == known


def test_what_it_shares_with_the_other_schema_is_the_same() -> None:
    shared = SCHEMA["$defs"].keys() & OUTPUT_SCHEMA["$defs"].keys()
    assert {"file", "finding", "failure"} <= shared
    assert all(SCHEMA["$defs"][name] == OUTPUT_SCHEMA["$defs"][name] for name in shared)


def test_nothing_was_found_of_nothing() -> None:
    VALIDATOR.validate(json.loads(json.dumps(json_file.captures_document(()))))
