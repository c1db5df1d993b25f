"""The schemas for our machine output: our own schemas, and those of the standards."""

import json
from collections.abc import Iterator
from importlib import resources
from typing import Any

import jsonschema
from repository import DATA

Json = dict[str, Any]


def _own(name: str, room: str = "emit") -> Json:
    schema: Json = json.loads(resources.files(f"pdt_annotate.{room}").joinpath(name).read_text("utf-8"))
    return schema


OUTPUT_SCHEMA = _own("output.schema.json")
OUTPUT_VALIDATOR = jsonschema.Draft202012Validator(OUTPUT_SCHEMA)
CAPTURES_SCHEMA = _own("captures.schema.json")
CAPTURES_VALIDATOR = jsonschema.Draft202012Validator(CAPTURES_SCHEMA)
GRAPH_SCHEMA = _own("graph.schema.json", "graphs")
GRAPH_VALIDATOR = jsonschema.Draft202012Validator(GRAPH_SCHEMA)
SARIF_SCHEMA: Json = json.loads(DATA.joinpath("sarif-2.1.0.json").read_text(encoding="utf-8"))


def objects(document: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all maps in a document."""
    if isinstance(document, dict):
        yield path
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items if isinstance(document, (dict, list)) else ():
        if isinstance(value, (dict, list)):
            yield from objects(value, (*path, key))


def at(document: Json, path: tuple[str | int, ...]) -> Json:
    found: Any = document
    for key in path:
        found = found[key]
    return dict(found) if not isinstance(found, dict) else found
