"""What reading gives, whatever kind of graph was read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pdt_annotate.values.graphs import GraphNode, GraphRegion, GraphState, GraphValue


@dataclass(frozen=True)
class Read:
    """What was read of a program: its body, all values by name, defaults of inputs, and the attributes that it sets."""

    body: GraphRegion
    values: Mapping[str, GraphValue]
    defaults: Mapping[str, str] = field(default_factory=dict)
    attributes: tuple[GraphState, ...] = ()

    def inside(self, wrapper: str) -> Read:
        """The same, with paths from a module inside that which was captured."""
        values = {name: replace(value, path=_from(value.path, wrapper)) for name, value in self.values.items()}
        attributes = tuple(replace(each, path=_from(each.path, wrapper)) for each in self.attributes)
        return replace(self, body=_region_from(self.body, wrapper), values=values, attributes=attributes)


def _region_from(region: GraphRegion, wrapper: str) -> GraphRegion:
    return replace(region, nodes=tuple(_node_from(node, wrapper) for node in region.nodes))


def _node_from(node: GraphNode, wrapper: str) -> GraphNode:
    regions = tuple(_region_from(region, wrapper) for region in node.regions)
    return replace(node, module=_from(node.module, wrapper), regions=regions)


def _from(path: str, wrapper: str) -> str:
    return path.removeprefix(wrapper).removeprefix(".") if f"{path}.".startswith(f"{wrapper}.") else path
