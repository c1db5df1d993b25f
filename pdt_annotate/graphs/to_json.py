"""A graph as a JSON document, described by `graph.schema.json`, and back."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion, GraphState, GraphValue
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.values.printable import in_json
from pdt_annotate.values.version import __version__

SCHEMA_VERSION = 1
ALWAYS = ("shape", "inputs", "outputs")


def to_json(graph: Graph, root: str = "") -> str:
    """The document, without what is empty; lists are in the order of the program, paths of files from the root."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "pdt-annotate", "version": __version__},
        "target": graph.target,
        "of": graph.of,
        "body": _region(graph.body, root),
        "values": {name: _filled(asdict(value), "name") for name, value in graph.values.items()},
        "defaults": dict(graph.defaults),
        "modules": dict(graph.modules),
        "state": [
            {**_filled(asdict(each), "parameter", "saved"), "parameter": each.parameter, "saved": each.saved}
            for each in graph.state
        ],
    }
    return in_json(json.dumps(document, indent=1, ensure_ascii=False)) + "\n"


def from_json(text: str, root: str = "") -> Graph:
    """The graph of a document, whose paths are from the root.

    Raises:
        ValueError: the document is of another version, or no such document.
    """
    document = json.loads(text)
    version = document.get("schema_version") if isinstance(document, dict) else None
    if version != SCHEMA_VERSION:
        raise ValueError(f"the graph has schema_version {version}, not {SCHEMA_VERSION}")
    return Graph(
        document["target"],
        document["of"],
        _read_region(document["body"], root),
        {name: GraphValue(name, **_tuples(value)) for name, value in document["values"].items()},
        document["modules"],
        tuple(GraphState(**{"dtype": "", **_tuples(each)}) for each in document["state"]),
        document["defaults"],
    )


def _region(region: GraphRegion, root: str) -> dict[str, Any]:
    nodes = [_node(node, root) for node in region.nodes]
    return {"name": region.name, "inputs": region.inputs, "nodes": nodes, "outputs": region.outputs}


def _node(node: GraphNode, root: str) -> dict[str, Any]:
    place = node.place
    file = named_from(place.file, root) if root and place.file.startswith(f"{root}{os.sep}") else place.file
    return _filled(
        {
            "id": node.id,
            "kind": node.kind,
            "inputs": node.inputs,
            "arguments": node.arguments,
            "outputs": node.outputs,
            "file": file,
            "line": place.line or "",
            "module": node.module,
            "python": node.python,
            "regions": [_region(region, root) for region in node.regions],
        }
    )


def _filled(known: Mapping[str, Any], *without: str) -> dict[str, Any]:
    """What is not empty; the shape of a scalar is, and says something."""
    kept = {key: value for key, value in known.items() if key not in without}
    return {key: value for key, value in kept.items() if key in ALWAYS or value not in ("", [], (), None)}


def _read_region(region: Mapping[str, Any], root: str) -> GraphRegion:
    nodes = tuple(_read_node(node, root) for node in region["nodes"])
    return GraphRegion(region["name"], nodes, tuple(region["inputs"]), tuple(region["outputs"]))


def _read_node(node: Mapping[str, Any], root: str) -> GraphNode:
    known = _tuples({key: value for key, value in node.items() if key not in ("file", "line", "regions")})
    place = Place(os.path.join(root, node["file"]), node.get("line", 0)) if "file" in node else NO_PLACE
    regions = tuple(_read_region(each, root) for each in node.get("regions", ()))
    return GraphNode(**known, place=place, regions=regions)


def _tuples(known: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in known.items()}
