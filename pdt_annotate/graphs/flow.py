"""The flow in a drawing: values that are folded into the nodes that take them, and values from box to box.

A value comes from the node that made it, or that changed it last: a list from the last `append`, so that its readers
come after. A value that a region changed, or returns, comes from the end of the node that holds the region.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion, GraphValue

# Operators that only group their inputs.
BRACKETS = {"prim::ListConstruct": ("[", "]"), "prim::TupleConstruct": ("(", ")")}
# Attributes of these types are shown by name: their value when the program was captured is of little use.
CHANGEABLE = ("List[", "Dict[")
STORED = frozenset({"prim::Constant", "prim::GetAttr"})
MUTATORS = frozenset({"append", "extend", "insert", "pop", "clear", "remove", "sort", "reverse", "_set_item", "Delete"})
"""Operators on lists that change their first input."""


class Folds:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        nodes = list(graph.walk())
        self.makers: Mapping[str, GraphNode] = {name: node for node in nodes for name in node.outputs}
        changed = (node.inputs[0] for node in nodes if node.inputs and node.kind.rpartition("::")[2] in MUTATORS)
        # Values that a region returns keep their names.
        returned = (name for node in nodes for region in node.regions for name in region.outputs)
        self._lasting = frozenset((*changed, *returned))
        """Lists that are more than brackets, because something changes them."""

    def value(self, name: str) -> GraphValue:
        return self.graph.values.get(name) or GraphValue(name, "")

    def is_folded(self, node: GraphNode) -> bool:
        """Whether a node is shown as text inside the nodes that use its value."""
        if node.kind in STORED and all(self.value(name).is_stored for name in node.outputs):
            return True
        return node.kind in BRACKETS and not self._lasting & set(node.outputs)

    def nodes(self, region: GraphRegion) -> tuple[GraphNode, ...]:
        return tuple(node for node in region.nodes if not self.is_folded(node))

    def text(self, name: str) -> str:
        """A value in the form of an argument: a literal, the path of a parameter, brackets around others, a name."""
        value = self.value(name)
        if value.is_stored:
            return value.path if value.path and value.type.startswith(CHANGEABLE) else value.constant or value.path
        maker = self.makers.get(name)
        if maker is None or not self.is_folded(maker):
            return f"%{name}"
        begin, end = BRACKETS[maker.kind]
        return f"{begin}{', '.join(map(self.text, maker.inputs))}{end}"

    def items(self, name: str) -> tuple[str, ...]:
        """The items of a bracketed value; another value is its own only item."""
        maker = self.makers.get(name)
        return maker.inputs if maker is not None and self.is_folded(maker) else (name,)

    def flowing(self, name: str) -> tuple[str, ...]:
        """The values in a value that nodes make, or the caller passes; empty for a constant."""
        maker = self.makers.get(name)
        if self.value(name).is_stored:
            return ()
        if maker is None or not self.is_folded(maker):
            return (name,)
        return tuple(dict.fromkeys(each for inner in maker.inputs for each in self.flowing(inner)))

    def stored(self, name: str) -> tuple[GraphValue, ...]:
        """The parameters and buffers in a value: itself, or the items of a list of them."""
        value, maker = self.value(name), self.makers.get(name)
        if value.path and not value.constant:
            return (value,)
        if maker is None or maker.kind not in BRACKETS:
            return ()
        return tuple(each for inner in maker.inputs for each in self.stored(inner))


class Flow:
    """The edges of a drawing, and by node with regions the values that come from its end, if it has one."""

    def __init__(self, folds: Folds) -> None:
        self.folds = folds
        self.edges: dict[tuple[str, str], dict[str, None]] = {}  # by the keys of two boxes, the values in between
        self.ends: dict[int, tuple[str, ...]] = {}
        self.around: dict[int, tuple[int, ...]] = {}  # by node, the nodes that hold the regions around it
        body = folds.graph.body
        # By value, the key of the box that it comes from.
        latest = {name: f"in-{index}" for index, name in enumerate(body.inputs)}
        self._nodes(body, latest, ())
        for index, name in enumerate(body.outputs):
            self._lead(name, f"out-{index}", latest)

    @cached_property
    def needs(self) -> Mapping[int, Sequence[int]]:
        """By node, the nodes whose values it or its regions take; each of these with its holders."""
        needed: dict[int, dict[int, None]] = defaultdict(dict)
        for ends in self.edges:
            numbers = [key.partition("-")[0].removeprefix("n") for key in ends]
            givers, takers = ((int(each), *self.around[int(each)]) if each.isdigit() else () for each in numbers)
            for taker in takers:
                if taker not in givers:
                    needed[taker].update(dict.fromkeys(giver for giver in givers if giver not in takers))
        return {number: tuple(each) for number, each in needed.items()}

    def _nodes(self, region: GraphRegion, latest: dict[str, str], around: tuple[int, ...]) -> None:
        for node in self.folds.nodes(region):
            self.around[node.id] = around
            for name in node.inputs:
                self._lead(name, f"n{node.id}", latest)
            changed: Iterable[str] = self._regions(node, latest) if node.regions else ()
            name = node.kind.rpartition("::")[2]
            # It changes its first input, as `aten::append` and `aten::add_` do.
            is_change = name in MUTATORS or (name.endswith("_") and not name.endswith("__"))
            if not node.regions and node.inputs and is_change:
                changed = self.folds.flowing(node.inputs[0])
            made = f"n{node.id}-end" if node.regions else f"n{node.id}"
            latest.update(dict.fromkeys((*changed, *node.outputs), made))

    def _regions(self, node: GraphNode, latest: dict[str, str]) -> tuple[str, ...]:
        """Lead values through the regions of a node; returns earlier values that the regions change."""
        end, changed = f"n{node.id}-end", dict[str, None]()
        for index, region in enumerate(node.regions):
            key, inner = f"n{node.id}-{index}", dict(latest)
            for name in region.inputs:
                self._add(f"n{node.id}", f"{key}-in", name)
                inner[name] = f"{key}-in"
            self._nodes(region, inner, (node.id, *self.around[node.id]))
            for name in region.outputs:
                self._lead(name, f"{key}-out", inner)
                if node.outputs:
                    self._add(f"{key}-out", end, name)
            for name in latest:
                if inner[name] != latest[name]:
                    self._add(inner[name], end, name)
                    changed[name] = None
        if node.outputs or changed:
            self.ends[node.id] = (*node.outputs, *changed)
        return tuple(changed)

    def _lead(self, name: str, key: str, latest: Mapping[str, str]) -> None:
        """Lead a value, or the values in it, to the box that takes it."""
        for each in self.folds.flowing(name):
            if each in latest:
                self._add(latest[each], key, each)

    def _add(self, source: str, target: str, name: str) -> None:
        self.edges.setdefault((source, target), {})[name] = None
