"""A graph as a `networkx.DiGraph`, for whatever people have that walks one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pdt_annotate.graphs.walk import Links
from pdt_annotate.values.graphs import Graph, GraphNode, GraphValue

if TYPE_CHECKING:
    import networkx

INPUT, OUTPUT = "input", "output"
"""The kinds of the nodes for what the caller gives, and for what the program gives back."""


def to_networkx(graph: Graph) -> networkx.DiGraph:
    """Operations as nodes by number, inputs of the program by name, and its end as "output"; acyclic.

    A node has `kind`, `module`, `file`, `line`, `python`, `outputs`, `shapes`, `dtypes`, and `parent`, the number of
    the node in whose `region` it lies. An edge has `values`, a tuple of (name, type, shape, dtype). Where a node holds
    regions, edges lead from it to those inside, and from what ends a region to the users of what it makes.

    Raises:
        ImportError: networkx is not installed; torch brings it along.
    """
    import networkx  # noqa: PLC0415  (it takes longer to import than all of this)

    made: networkx.DiGraph = networkx.DiGraph(target=graph.target, of=graph.of)
    for name in graph.body.inputs:
        made.add_node(name, kind=INPUT, **_described([graph.values[name]]))
    for node in graph.walk():
        made.add_node(node.id, **_attributes(graph, node))
    for node in graph.walk():
        for region in node.regions:
            for inner in region.nodes:
                made.nodes[inner.id].update(parent=node.id, region=region.name)
    made.add_node(OUTPUT, kind=OUTPUT, **_described([graph.values[name] for name in graph.body.outputs]))
    _connect(made, graph)
    return made


def _attributes(graph: Graph, node: GraphNode) -> dict[str, Any]:
    place = node.place
    known = {"kind": node.kind, "module": node.module, "python": node.python, "file": place.file, "line": place.line}
    return {**known, **_described([graph.values[name] for name in node.outputs])}


def _described(values: list[GraphValue]) -> dict[str, Any]:
    return {
        "outputs": tuple(value.name for value in values),
        "shapes": tuple(value.shape for value in values),
        "dtypes": tuple(value.dtype for value in values),
    }


def _connect(made: networkx.DiGraph, graph: Graph) -> None:
    links = Links(graph)
    for begin, end, name in links.edges():
        _add(made, begin, end, graph.values.get(name))
    given = set(graph.body.inputs)
    for node in graph.walk():
        for name in given & {*node.inputs, *(end for region in node.regions for end in region.outputs)}:
            _add(made, name, node.id, graph.values[name])
    for name in graph.body.outputs:
        makers = [name] if name in given else [node.id for node in links.makers(name)]
        for maker in makers:
            _add(made, maker, OUTPUT, graph.values[name])


def _add(made: networkx.DiGraph, begin: int | str, end: int | str, value: GraphValue | None) -> None:
    """An edge, or one more value on it; without a value, from a node with regions to what is inside."""
    known = made.edges[begin, end]["values"] if made.has_edge(begin, end) else ()
    more = ((value.name, value.type, value.shape, value.dtype),) if value is not None else ()
    made.add_edge(begin, end, values=known + more)
