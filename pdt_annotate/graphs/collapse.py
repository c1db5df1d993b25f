"""Modules as frames and as single nodes.

A module that is called twice, or whose nodes the compiler has mixed with others, has several frames or nodes: in one, a
value would leave the frame and come back into it, which closes a circle.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pdt_annotate.graphs.words import cut
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion

MODULE = "module"  # the kind of a node for a module whose class is not known


@dataclass
class Bunch:
    """Nodes in the frame of the module at a path, or a single node that is in none."""

    path: str
    nodes: list[GraphNode] = field(default_factory=list)
    needs: set[int] = field(default_factory=set)


def bunch(
    nodes: Sequence[GraphNode], path_of: Callable[[GraphNode], str], needed: Callable[[GraphNode], Sequence[int]]
) -> list[Bunch]:
    """The nodes of a level by the module that runs them, in the order of their first nodes.

    `path_of` returns the module whose frame a node would be in, or ""; `needed` the nodes on which a node depends.
    """
    made: list[Bunch] = []
    latest: dict[str, int] = {}
    where: dict[int, int] = {}
    for node in nodes:
        path = path_of(node)
        needs = {where[each] for each in needed(node) if each in where}
        index = latest.get(path, -1) if path else -1
        if index < 0 or any(_reaches(made, each, index) for each in needs - {index}):
            index = len(made)
            made.append(Bunch(path))
            latest[path] = index
        made[index].nodes.append(node)
        made[index].needs |= needs - {index}
        where[node.id] = index
    return made


def _reaches(made: Sequence[Bunch], start: int, goal: int) -> bool:
    seen, left = {start}, [start]
    while left and goal not in seen:
        fresh = made[left.pop()].needs - seen
        seen |= fresh
        left += fresh
    return goal in seen


def common_path(nodes: Sequence[GraphNode]) -> str:
    """The path of the innermost module that runs all of these."""
    parts = zip(*(node.module.split(".") for node in nodes), strict=False)
    return ".".join(names[0] for names in itertools.takewhile(lambda names: len(set(names)) == 1, parts))


def collapse(graph: Graph, depth: int) -> Graph:
    """The graph with modules of a depth as one node each: 1 for the children of the target, 0 for no change."""
    if depth <= 0:
        return graph
    collapsed = _Collapsed(graph, depth).region(graph.body, frozenset(graph.body.outputs))
    body = _numbered(collapsed, itertools.count())
    named = {*body.inputs, *body.outputs}.union(*((*_taken(node), *_made(node)) for node in body.nodes))
    return replace(graph, body=body, values={name: graph.values[name] for name in sorted(named)})


@dataclass(frozen=True)
class _Collapsed:
    graph: Graph
    depth: int

    def region(self, region: GraphRegion, wanted: frozenset[str]) -> GraphRegion:
        """A region with its modules collapsed; `wanted` are the values that are used after it."""
        makers = {name: node.id for node in region.nodes for name in node.outputs}

        def module_of(node: GraphNode) -> str:
            # A node with regions is where all of these are.
            path = cut(node.module, self.depth)
            return path if path.count(".") + 1 == self.depth else ""

        bunches = bunch(region.nodes, module_of, lambda node: [makers[n] for n in _taken(node) if n in makers])
        nodes: list[GraphNode] = []
        for each in _ordered(bunches, range(len(bunches)), set()):
            if each.path:
                ids = {node.id for node in each.nodes}
                others = (name for node in region.nodes if node.id not in ids for name in _taken(node))
                nodes.append(self._module(each.path, each.nodes, wanted | frozenset(others)))
                continue
            (node,) = each.nodes
            regions = tuple(self.region(inner, frozenset(inner.outputs)) for inner in node.regions)
            nodes.append(replace(node, regions=regions))
        return replace(region, nodes=tuple(nodes))

    def _module(self, path: str, nodes: Sequence[GraphNode], used: frozenset[str]) -> GraphNode:
        """One node for all nodes of a module: its inputs from outside, and the outputs that others use."""
        made = set(itertools.chain.from_iterable(map(_made, nodes)))
        taken = dict.fromkeys(name for node in nodes for name in _taken(node) if name not in made)
        inputs = tuple(name for name in taken if not self.graph.values[name].is_stored)
        outputs = tuple(name for node in nodes for name in node.outputs if name in used)
        kind = self.graph.modules.get(path, "") or MODULE
        return GraphNode(nodes[0].id, kind, inputs, (), outputs, nodes[0].place, path)


def _ordered(bunches: Sequence[Bunch], indices: Iterable[int], done: set[int]) -> Iterator[Bunch]:
    """The bunches with these indices that are not done yet, each after the bunches that it needs."""
    for index in indices:
        if index not in done:
            done.add(index)
            yield from _ordered(bunches, sorted(bunches[index].needs), done)
            yield bunches[index]


def _taken(node: GraphNode) -> Iterator[str]:
    yield from node.inputs
    for region in node.regions:
        for inner in region.nodes:
            yield from _taken(inner)
        yield from region.outputs


def _made(node: GraphNode) -> Iterator[str]:
    for each in node.walk():
        yield from each.outputs
        for region in each.regions:
            yield from region.inputs


def _numbered(region: GraphRegion, numbers: Iterator[int]) -> GraphRegion:
    nodes = [
        replace(node, id=next(numbers), regions=tuple(_numbered(each, numbers) for each in node.regions))
        for node in region.nodes
    ]
    return replace(region, nodes=tuple(nodes))
