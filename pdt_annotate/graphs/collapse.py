"""Modules as single nodes: what lies deeper than some level is one node for each module of that level.

A node stands for a module where all of it could run at once. A module whose nodes wait for others that wait for it, as
of one that is called twice, has several.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from pdt_annotate.graphs.grouping import Bunch, bunch
from pdt_annotate.graphs.paths import cut
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion

MODULE = "module"
"""The kind of a node that stands for a module of which no class is known."""


def collapse(graph: Graph, depth: int) -> Graph:
    """The graph with modules of a depth as one node each; with 0, the graph as it is.

    Args:
        depth: 1 for the children of the target.
    """
    if depth <= 0:
        return graph
    collapsed = _Collapsed(graph, depth).region(graph.body, frozenset(graph.body.outputs))
    numbers = itertools.count()
    body = _numbered(collapsed, numbers)
    return replace(graph, body=body, values={name: graph.values[name] for name in sorted(_named(body), key=str)})


class _Collapsed:
    def __init__(self, graph: Graph, depth: int) -> None:
        self.graph = graph
        self.depth = depth

    def region(self, region: GraphRegion, wanted: frozenset[str]) -> GraphRegion:
        """A region with its modules collapsed."""
        makers = {name: node.id for node in region.nodes for name in node.outputs}
        needed: Callable[[GraphNode], Sequence[int]] = lambda node: [makers[n] for n in _taken(node) if n in makers]  # noqa: E731
        flat = [replace(node, module=self._group(node)) for node in region.nodes]
        bunches = _ordered(_bunches(flat, needed))
        by_id = {node.id: node for node in region.nodes}
        nodes: list[GraphNode] = []
        for each in bunches:
            inner = [by_id[node.id] for node in each.nodes]
            used = wanted | frozenset(name for other in region.nodes if other not in inner for name in _taken(other))
            nodes += [self._module(each.path, inner, used)] if each.path else [self._around(node) for node in inner]
        return replace(region, nodes=tuple(nodes))

    def _group(self, node: GraphNode) -> str:
        """The module of the level in which a node lies; a node with regions lies where all of these do."""
        path = cut(node.module, self.depth)
        return path if path.count(".") + 1 == self.depth and path else ""

    def _around(self, node: GraphNode) -> GraphNode:
        regions = (self.region(region, frozenset(region.outputs)) for region in node.regions)
        return replace(node, regions=tuple(regions))

    def _module(self, path: str, nodes: Sequence[GraphNode], used: frozenset[str]) -> GraphNode:
        """One node for those of a module: what it takes from outside, and what others use of it."""
        made = set(itertools.chain.from_iterable(map(_made, nodes)))
        taken = dict.fromkeys(name for node in nodes for name in _taken(node) if name not in made)
        inputs = tuple(name for name in taken if not self._is_stored(name))
        outputs = tuple(name for node in nodes for name in node.outputs if name in used)
        first = nodes[0]
        kind = self.graph.modules.get(path, "") or MODULE
        return GraphNode(first.id, kind, inputs, (), outputs, first.place, path)

    def _is_stored(self, name: str) -> bool:
        value = self.graph.values[name]
        return bool(value.constant or value.path)


def _bunches(nodes: Sequence[GraphNode], needed: Callable[[GraphNode], Sequence[int]]) -> list[Bunch]:
    """Nodes by module, whatever the level: grouping goes by the part of a path behind its prefix."""
    flat = [replace(node, module=node.module.replace(".", "\0")) for node in nodes]
    return [replace(each, path=each.path.replace("\0", ".")) for each in bunch(flat, "", needed)]


def _ordered(bunches: Sequence[Bunch]) -> Iterator[Bunch]:
    """Such that what a bunch needs comes before it."""
    done: set[int] = set()

    def visit(index: int) -> Iterator[Bunch]:
        if index not in done:
            done.add(index)
            for needed in sorted(bunches[index].needs):
                yield from visit(needed)
            yield bunches[index]

    for index in range(len(bunches)):
        yield from visit(index)


def _taken(node: GraphNode) -> Iterator[str]:
    """What a node and all in its regions use."""
    yield from node.inputs
    for region in node.regions:
        for inner in region.nodes:
            yield from _taken(inner)
        yield from region.outputs


def _made(node: GraphNode) -> Iterator[str]:
    yield from node.outputs
    for region in node.regions:
        yield from region.inputs
        for inner in region.nodes:
            yield from _made(inner)


def _named(region: GraphRegion) -> set[str]:
    named = {*region.inputs, *region.outputs}
    for node in region.nodes:
        named |= {*node.inputs, *node.outputs}.union(*map(_named, node.regions))
    return named


def _numbered(region: GraphRegion, numbers: Iterator[int]) -> GraphRegion:
    nodes = []
    for node in region.nodes:
        number = next(numbers)
        nodes.append(replace(node, id=number, regions=tuple(_numbered(each, numbers) for each in node.regions)))
    return replace(region, nodes=tuple(nodes))
