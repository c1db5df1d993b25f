"""The document of a graph: what its schema says, and the way back."""

from __future__ import annotations

import copy
import json
from dataclasses import replace

import jsonschema
import pytest
from drawn_graphs import HOSTILE, branches, residual, wild
from schemas import GRAPH_SCHEMA, GRAPH_VALIDATOR, at, objects

from pdt_annotate.graphs.formats import SCHEMA_VERSION, from_json, to_json
from pdt_annotate.values.graphs import Graph, GraphState, GraphValue
from pdt_annotate.values.places import Place

STATE = (
    GraphState("conv.weight", (4, 3)),
    GraphState("steps", (), "int64", parameter=False, saved=False, constant="torch.tensor(1)"),
    GraphState("count", (), "", False, False, "3"),
)


def full() -> Graph:
    graph = residual(Place("/root/net.py", 3))
    values = {**graph.values, HOSTILE: GraphValue(HOSTILE, "str", constant=repr(HOSTILE))}
    return replace(graph, values=values, state=STATE, defaults={"x": "None"})


@pytest.mark.parametrize("graph", [full(), branches(), wild(3)])
def test_it_comes_back_as_it_was(graph: Graph) -> None:
    text = to_json(graph, "/root")
    GRAPH_VALIDATOR.validate(json.loads(text))
    assert from_json(text, "/root") == graph
    assert to_json(from_json(text, "/root"), "/root") == text


def test_files_are_named_from_the_root() -> None:
    nodes = json.loads(to_json(full(), "/root"))["body"]["nodes"]
    assert {node["file"] for node in nodes if "file" in node} == {"net.py"}


def test_it_is_a_schema_with_a_name_and_a_version() -> None:
    jsonschema.Draft202012Validator.check_schema(GRAPH_SCHEMA)
    assert GRAPH_SCHEMA["$id"] == f"urn:pdt-annotate:graph:{SCHEMA_VERSION}"


def test_a_key_too_many_is_refused() -> None:
    document = json.loads(to_json(full()))
    for path in objects(document):
        if path not in [("values",), ("defaults",), ("modules",)]:
            changed = copy.deepcopy(document)
            at(changed, path)["surprise"] = 1
            assert not GRAPH_VALIDATOR.is_valid(changed), path


def test_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="schema_version 99"):
        from_json('{"schema_version": 99}')
