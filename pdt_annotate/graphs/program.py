"""A graph with all that can be done with it, as the library gives it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from pdt_annotate.graphs.collapse import collapse
from pdt_annotate.graphs.formats import FORMATS, GraphView
from pdt_annotate.graphs.to_json import from_json, to_json
from pdt_annotate.graphs.to_python import to_python
from pdt_annotate.graphs.walk import Links, to_networkx
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion, GraphValue

if TYPE_CHECKING:
    import networkx


@dataclass(frozen=True)
class ProgramGraph:
    """The computation graph of a target: nodes, and the values that flow between them, by name.

    Args:
        graph: as plain data.
        root: the directory whose files are the user's.
    """

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
        """Who makes and who uses a value, and which nodes come before and after a node."""
        return Links(self.graph)

    def collapse(self, depth: int) -> ProgramGraph:
        """The same with every module of a depth as one node; 1 for the children of the target, 0 for no change."""
        return replace(self, graph=collapse(self.graph, depth))

    def to_networkx(self) -> networkx.DiGraph:
        """An acyclic graph; `graphs.walk` says what nodes and edges carry.

        Raises:
            ImportError: networkx is not installed.
        """
        return to_networkx(self.graph)

    def to_json(self) -> str:
        """A document described by `graphs/graph.schema.json`."""
        return to_json(self.graph, self.root)

    @classmethod
    def from_json(cls, text: str, root: str = "") -> ProgramGraph:
        """The graph of such a document.

        Args:
            root: the directory that its paths are from.

        Raises:
            ValueError: the document is of another version, or no such document.
        """
        return cls(from_json(text, root), root)

    def to_python(self) -> str:
        """A module that runs on torch alone, takes the original's `state_dict()`, and answers the same.

        Raises:
            UserError: Python has no words for one of its operations.
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
