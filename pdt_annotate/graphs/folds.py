"""What is shown as an argument of a node instead of as a node: constants, parameters, and lists made to be passed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion, GraphValue

BRACKETS = {"prim::ListConstruct": ("[", "]"), "prim::TupleConstruct": ("(", ")")}
"""What only holds its inputs together."""

CHANGEABLE = ("List[", "Dict[")
"""Attributes of these types are named: what they held when the program was captured says little."""

STORED = frozenset({"prim::Constant", "prim::GetAttr"})

MUTATORS = frozenset({"append", "extend", "insert", "pop", "clear", "remove", "sort", "reverse", "_set_item", "Delete"})
"""Operators on lists that change their first input."""


class Folds:
    """The values of a graph, each as text or as what a node makes."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.makers: Mapping[str, GraphNode] = {name: node for node in graph.walk() for name in node.outputs}

    @cached_property
    def _lasting(self) -> frozenset[str]:
        """Lists that are more than brackets, because something changes them."""
        changed = (node.inputs[0] for node in self.graph.walk() if node.inputs and _changes_a_list(node))
        return frozenset(changed) | self._handed_on

    @cached_property
    def _handed_on(self) -> frozenset[str]:
        """What a region returns keeps its name."""
        regions = (region for node in self.graph.walk() for region in node.regions)
        return frozenset(name for region in regions for name in region.outputs)

    def value(self, name: str) -> GraphValue:
        return self.graph.values.get(name) or GraphValue(name, "")

    def is_stored(self, name: str) -> bool:
        """Whether a value stands still: a constant, a parameter, an attribute."""
        value = self.value(name)
        return bool(value.constant or value.path)

    def is_folded(self, node: GraphNode) -> bool:
        """Whether a node is shown as text in those that use what it makes."""
        if node.kind in STORED and all(map(self.is_stored, node.outputs)):
            return True
        return node.kind in BRACKETS and not self._lasting & set(node.outputs)

    def nodes(self, region: GraphRegion) -> tuple[GraphNode, ...]:
        """The nodes of a region that are shown as such."""
        return tuple(node for node in region.nodes if not self.is_folded(node))

    def text(self, name: str) -> str:
        """A value as an argument is written: a literal, the path of a parameter, brackets around others, a name."""
        value = self.value(name)
        if self.is_stored(name):
            return value.path if value.path and value.type.startswith(CHANGEABLE) else value.constant or value.path
        maker = self.makers.get(name)
        if maker is None or not self.is_folded(maker):
            return f"%{name}"
        begin, end = BRACKETS[maker.kind]
        return f"{begin}{', '.join(map(self.text, maker.inputs))}{end}"

    def items(self, name: str) -> tuple[str, ...]:
        """What brackets hold; of another value, itself."""
        maker = self.makers.get(name)
        return maker.inputs if maker is not None and self.is_folded(maker) else (name,)

    def flowing(self, name: str) -> tuple[str, ...]:
        """The values that nodes make, or the caller gives, of which a value is made up; none for a constant."""
        return tuple(dict.fromkeys(self._flowing(name)))

    def _flowing(self, name: str) -> Iterator[str]:
        maker = self.makers.get(name)
        if self.is_stored(name):
            return
        if maker is None or not self.is_folded(maker):
            yield name
            return
        for each in maker.inputs:
            yield from self._flowing(each)

    def stored(self, name: str) -> tuple[GraphValue, ...]:
        """The parameters and buffers in a value: itself, or what a list of them holds."""
        value, maker = self.value(name), self.makers.get(name)
        if value.path and not value.constant:
            return (value,)
        if maker is None or maker.kind not in BRACKETS:
            return ()
        return tuple(each for inner in maker.inputs for each in self.stored(inner))


def _changes_a_list(node: GraphNode) -> bool:
    return node.kind.rpartition("::")[2] in MUTATORS
