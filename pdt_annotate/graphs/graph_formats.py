"""The formats of `graph`, by their names on the command line."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from pdt_annotate.emit.machine.invocation import path_below
from pdt_annotate.emit.words import plural
from pdt_annotate.graphs import dot, html, listing
from pdt_annotate.graphs.arrange import arrange
from pdt_annotate.graphs.collapse import collapse
from pdt_annotate.graphs.to_python import to_python
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion, GraphState, GraphValue
from pdt_annotate.values.paths import named_from
from pdt_annotate.values.printable import in_json
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.values.version import __version__

SCHEMA_VERSION = 1
ALWAYS = ("shape", "inputs", "outputs")
TEXT = "text"
SUFFIXES = {
    ".txt": TEXT,
    ".json": "json",
    ".dot": "dot",
    ".gv": "dot",
    ".svg": "svg",
    ".html": "html",
    ".htm": "html",
    ".py": "python",
}
WIDTH = 120  # of a listing that goes to a file
MOST_BOXES = 150  # a page that would first show more begins with the modules of a lesser depth
LESS = 0.9  # a depth is shown only if it has at most this part of all boxes


def to_json(graph: Graph, root: str = "") -> str:
    """The document, without empty fields; lists are in the order of the program, paths of files from the root."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "pdt-annotate", "version": __version__},
        "target": graph.target,
        "of": graph.of,
        "body": _region(graph.body, root),
        "values": {name: _filled({**vars(value), "name": ""}) for name, value in graph.values.items()},
        "defaults": dict(graph.defaults),
        "modules": dict(graph.modules),
        "state": [_filled(vars(each)) for each in graph.state],
    }
    return in_json(json.dumps(document, indent=1, ensure_ascii=False)) + "\n"


def from_json(text: str, root: str = "") -> Graph:
    """The graph of a document; `root` precedes its paths. Raises ValueError for any other document or version."""
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
    nodes = []
    for node in region.nodes:
        place = node.place
        file = named_from(place.file, root) if root and place.file.startswith(f"{root}{os.sep}") else place.file
        known: dict[str, Any] = {}
        for name, value in vars(node).items():
            known |= {"file": file, "line": place.line or ""} if name == "place" else {name: value}
        nodes.append(_filled({**known, "regions": [_region(region, root) for region in node.regions]}))
    return {"name": region.name, "inputs": region.inputs, "nodes": nodes, "outputs": region.outputs}


def _filled(known: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are not empty; an empty shape is kept, since it means a scalar."""
    return {key: value for key, value in known.items() if key in ALWAYS or value not in ("", [], (), None)}


def _read_region(region: Mapping[str, Any], root: str) -> GraphRegion:
    nodes = []
    for node in region["nodes"]:
        known = _tuples({key: value for key, value in node.items() if key not in ("file", "line", "regions")})
        place = Place(os.path.join(root, node["file"]), node.get("line", 0)) if "file" in node else NO_PLACE
        regions = tuple(_read_region(each, root) for each in node.get("regions", ()))
        nodes.append(GraphNode(**known, place=place, regions=regions))
    return GraphRegion(region["name"], tuple(nodes), tuple(region["inputs"]), tuple(region["outputs"]))


def _tuples(known: Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in known.items()}


@dataclass(frozen=True)
class GraphView:
    """How to show a graph: modules deeper than `depth` are one node each, 0 for none."""

    depth: int = 0
    root: str = ""  # the directory whose files are the user's
    directory: str = ""  # links lead to those files from here

    def of(self, graph: Graph) -> Graph:
        return collapse(graph, self.depth)

    def link(self, place: Place) -> str:
        """A source line of the user's, as a relative address; "" for others, which are elsewhere on other machines."""
        if not (place.file and self.root and path_below(self.root, place.file)):
            return ""
        relative = named_from(os.path.realpath(place.file), os.path.realpath(self.directory))
        return f"{quote(relative)}#L{place.line}"


def _page(graph: Graph, view: GraphView) -> bytes:
    """Drawings down to every depth, of many the first ones and the chosen one; the whole graph last."""
    deepest = max((node.module.count(".") + 1 for node in graph.walk() if node.module), default=0)
    shown = list(range(1, min(deepest, html.MOST_DEPTHS - 1) + 1))
    if 0 < view.depth <= deepest and view.depth not in shown:
        shown[-1] = view.depth
    drawings = {str(depth): arrange(collapse(graph, depth)) for depth in shown} | {"all": arrange(graph)}
    sizes = {name: len([*drawn.root.boxes()]) for name, drawn in drawings.items()}
    most, kept = LESS * sizes["all"], (str(view.depth), "all")
    depths = {name: drawn for name, drawn in drawings.items() if sizes[name] <= most or name in kept}
    small = [index for index, name in enumerate(depths) if sizes[name] <= MOST_BOXES]
    named = [index for index, name in enumerate(depths) if name == str(view.depth)]
    said = f"{graph.of}, {plural(sum(1 for _ in graph.walk()), 'node')}"
    return html.render(graph.target, said, depths, (named or small or [0])[-1])


FORMATS: Mapping[str, Callable[[Graph, GraphView], bytes]] = {  # (graph, view) → one whole document
    TEXT: lambda graph, view: listing.render(view.of(graph), WIDTH).encode(),
    "json": lambda graph, view: to_json(view.of(graph), view.root).encode(),
    "dot": lambda graph, view: dot.render(arrange(view.of(graph)), view.link),
    "svg": lambda graph, view: html.render_svg(arrange(view.of(graph)), view.link),
    "html": _page,
    "python": lambda graph, view: to_python(graph).encode(),
}


def format_of(name: str, file: str) -> str:
    """The format of this name; for "auto", of the file's suffix. Raises UserError for an unknown suffix."""
    if name != "auto":
        return name
    if file in ("", "-"):
        return TEXT
    suffix = os.path.splitext(file)[1].lower()
    if suffix in SUFFIXES:
        return SUFFIXES[suffix]
    unnamed = "the suffix of the file name does not name a format"
    wrong = f"{suffix} is not the suffix of a graph format" if suffix else unnamed
    hint = f"the known suffixes are {', '.join(SUFFIXES)}; for other names, use --format"
    raise UserError(wrong, file=file, hint=hint)
