"""Modules as frames and as single nodes.

A module that is called twice, or whose nodes the compiler has mixed with others, has several frames or nodes: in one, a
value would leave the frame and come back into it, which closes a circle.
"""

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from pdt_annotate.graphs.node_names import cut
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


def collapse(graph: Graph, depth: int) -> Graph:
    """The graph with modules of a depth as one node each: 1 for the children of the target, 0 for no change."""
    if depth <= 0:
        return graph
    numbers = itertools.count()
    collapsed = _collapsed(graph, depth, graph.body, frozenset(graph.body.outputs))
    body = collapsed.mapped(lambda node: replace(node, id=next(numbers)))
    named = {*body.inputs, *body.outputs}.union(*((*_taken(node), *_made(node)) for node in body.nodes))
    return replace(graph, body=body, values={name: graph.values[name] for name in sorted(named)})


def _collapsed(graph: Graph, depth: int, region: GraphRegion, wanted: frozenset[str]) -> GraphRegion:
    """A region with its modules collapsed; `wanted` are the values that are used after it."""
    makers = {name: node.id for node in region.nodes for name in node.outputs}

    def module_of(node: GraphNode) -> str:
        # A node with regions is where all of these are.
        path = cut(node.module, depth)
        return path if path.count(".") + 1 == depth else ""

    bunches = bunch(region.nodes, module_of, lambda node: [makers[n] for n in _taken(node) if n in makers])
    nodes: list[GraphNode] = []
    for each in _ordered(bunches, range(len(bunches)), set()):
        first = each.nodes[0]
        if not each.path:
            regions = tuple(_collapsed(graph, depth, inner, frozenset(inner.outputs)) for inner in first.regions)
            nodes.append(replace(first, regions=regions))
            continue
        # One node for all nodes of the module: its inputs from outside, and the outputs that others use.
        ids = {node.id for node in each.nodes}
        used = wanted.union(*(_taken(node) for node in region.nodes if node.id not in ids))
        made = {name for node in each.nodes for name in _made(node)}
        taken = dict.fromkeys(name for node in each.nodes for name in _taken(node) if name not in made)
        inputs = tuple(name for name in taken if not graph.values[name].is_stored)
        outputs = tuple(name for node in each.nodes for name in node.outputs if name in used)
        kind = graph.modules.get(each.path, "") or MODULE
        nodes.append(GraphNode(first.id, kind, inputs, (), outputs, first.place, each.path))
    return replace(region, nodes=tuple(nodes))


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
