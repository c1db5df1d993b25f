"""A graph with its operations, as the library returns it: its links, and a `networkx.DiGraph`, are here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pdt_annotate.graphs.collapse import collapse
from pdt_annotate.graphs.graph_formats import FORMATS, GraphView, from_json, to_json
from pdt_annotate.graphs.to_python import to_python
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion, GraphValue
from pdt_annotate.values.groups import grouped

if TYPE_CHECKING:
    import networkx
INPUT, OUTPUT = "input", "output"  # the kinds of the nodes for the caller's arguments, and for the program's results


@dataclass(frozen=True)
class ProgramGraph:
    """The computation graph of a target: nodes, and the values that flow between them, by name."""

    graph: Graph
    root: str = ""

    def __iter__(self) -> Iterator[GraphNode]:
        """Every node in the order of the program, those inside regions after the one that holds them."""
        return self.graph.walk()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def body(self) -> GraphRegion:
        return self.graph.body

    @property
    def values(self) -> Mapping[str, GraphValue]:
        return self.graph.values

    @cached_property
    def links(self) -> Links:
        """The makers and users of values, and the nodes before and after a node."""
        return Links(self.graph)

    def collapse(self, depth: int) -> ProgramGraph:
        """The same with every module of a depth as one node; 1 for the children of the target, 0 for no change."""
        return replace(self, graph=collapse(self.graph, depth))

    def to_networkx(self) -> networkx.DiGraph:
        """An acyclic graph; see `to_networkx` of this module for the attributes of nodes and edges."""
        return to_networkx(self.graph)

    def to_json(self) -> str:
        """A document described by `graphs/graph.schema.json`."""
        return to_json(self.graph, self.root)

    @classmethod
    def from_json(cls, text: str, root: str = "") -> ProgramGraph:
        """The graph of such a document, whose paths are from the root; raises `ValueError` for any other document."""
        return cls(from_json(text, root), root)

    def to_python(self) -> str:
        """A module that runs on torch alone, takes the original's `state_dict()`, and answers the same.

        Raises `UserError` if Python has no words for one of its operations.
        """
        return to_python(self.graph)

    def to_dot(self) -> str:
        """For Graphviz."""
        return self._written("dot")

    def to_svg(self) -> str:
        """A drawing in which nodes link to their source lines."""
        return self._written("svg")

    def to_html(self) -> str:
        """A page with the drawing, to zoom and unfold."""
        return self._written("html")

    def _written(self, form: str) -> str:
        return FORMATS[form](self.graph, GraphView(root=self.root, directory=self.root)).decode()


class Links:
    """The edges of a graph, all forward: a value that a loop carries back has no edge.

    The node that holds a region makes the region's inputs; its outputs come from the ends of its regions.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.nodes: Mapping[int, GraphNode] = {node.id: node for node in graph.walk()}
        self._producers = {name: node for node in graph.walk() for region in node.regions for name in region.inputs}
        self._producers |= {name: node for node in graph.walk() for name in node.outputs}
        self._users = grouped((name, node) for node in graph.walk() for name in dict.fromkeys(node.uses))

    def producer(self, name: str) -> GraphNode | None:
        """The node that makes a value; for an input of a region, the node that holds the region."""
        return self._producers.get(name)

    def users(self, name: str) -> tuple[GraphNode, ...]:
        """The nodes that use a value, including those in whose regions it comes to an end."""
        return tuple(self._users.get(name, ()))

    def predecessors(self, node: GraphNode) -> tuple[GraphNode, ...]:
        """The nodes whose values a node takes itself."""
        return _distinct(self.producer(name) for name in node.inputs)

    def successors(self, node: GraphNode) -> tuple[GraphNode, ...]:
        """The nodes that use the outputs of a node."""
        return _distinct(user for name in node.outputs for user in self.users(name))

    def edges(self) -> Iterator[tuple[int, int, str]]:
        """From the maker of every value to each of its users, by number, with the name of the value; none lead back."""
        for node in self.graph.walk():
            for name in dict.fromkeys(node.inputs):
                for maker in self.makers(name):
                    yield maker.id, node.id, name
            for region in node.regions:
                yield from ((node.id, inner.id, "") for inner in region.nodes)

    def makers(self, name: str) -> tuple[GraphNode, ...]:
        """The node that makes a value; if it holds regions, also the nodes in them that make the value."""
        node = self.producer(name)
        if node is None:
            return ()
        if name not in node.outputs:
            return (node,)
        # From the last output on: the outputs of a loop's region begin with the condition to go on.
        at = node.outputs.index(name) - len(node.outputs)
        ends = (region.outputs[at] for region in node.regions if len(region.outputs) >= len(node.outputs))
        return _distinct((node, *(maker for end in ends for maker in self.makers(end))))


def _distinct(nodes: Iterable[GraphNode | None]) -> tuple[GraphNode, ...]:
    return tuple({node.id: node for node in nodes if node is not None}.values())


def to_networkx(graph: Graph) -> networkx.DiGraph:
    """Operations as nodes by number, inputs of the program by name, and its end as "output"; acyclic.

    A node has `kind`, `module`, `file`, `line`, `python`, `outputs`, `shapes`, `dtypes`, and `parent`, the number of
    the node that holds its `region`. An edge has `values`, a tuple of (name, type, shape, dtype). If a node holds
    regions, edges lead from it to the nodes inside, and from the last nodes of a region to the users of its outputs.

    Raises `ImportError` if networkx is not installed; torch brings it along.
    """
    import networkx  # noqa: PLC0415  (it takes longer to import than all of this)

    def described(names: Iterable[str]) -> dict[str, Any]:
        values = [graph.values[name] for name in names]
        shapes, dtypes = tuple(each.shape for each in values), tuple(each.dtype for each in values)
        return {"outputs": tuple(each.name for each in values), "shapes": shapes, "dtypes": dtypes}

    made: networkx.DiGraph = networkx.DiGraph(target=graph.target, of=graph.of)
    for name in graph.body.inputs:
        made.add_node(name, kind=INPUT, **described([name]))
    for node in graph.walk():
        known: dict[str, Any] = {"kind": node.kind, "module": node.module, "python": node.python}
        known |= {"file": node.place.file, "line": node.place.line}
        made.add_node(node.id, **known, **described(node.outputs))
    for node in graph.walk():
        for region in node.regions:
            for inner in region.nodes:
                made.nodes[inner.id].update(parent=node.id, region=region.name)
    made.add_node(OUTPUT, kind=OUTPUT, **described(graph.body.outputs))
    links, given = Links(graph), set(graph.body.inputs)
    for begin, end, name in links.edges():
        _add(made, begin, end, graph.values.get(name))
    for node in graph.walk():
        for name in given & set(node.uses):
            _add(made, name, node.id, graph.values[name])
    for name in graph.body.outputs:
        for maker in [name] if name in given else [node.id for node in links.makers(name)]:
            _add(made, maker, OUTPUT, graph.values[name])
    return made


def _add(made: networkx.DiGraph, begin: int | str, end: int | str, value: GraphValue | None) -> None:
    """Adds an edge, or one more value to it; without a value, from a node with regions to those inside."""
    known = made.edges[begin, end]["values"] if made.has_edge(begin, end) else ()
    more = ((value.name, value.type, value.shape, value.dtype),) if value is not None else ()
    made.add_edge(begin, end, values=known + more)
