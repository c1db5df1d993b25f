"""Makers and users of values, and the nodes before and after a node."""

from __future__ import annotations

from drawn_graphs import branches, residual

from pdt_annotate.graphs.walk import Links
from pdt_annotate.values.graphs import GraphNode


def kinds(nodes: tuple[GraphNode, ...]) -> list[str]:
    return [node.kind for node in nodes]


def test_nobody_makes_what_the_caller_gives() -> None:
    links = Links(residual())
    assert links.producer("x") is None
    assert kinds(links.users("x")) == ["aten::conv2d", "aten::add"]


def test_before_and_after() -> None:
    graph = residual()
    links = Links(graph)
    convolution = next(node for node in graph.walk() if node.kind == "aten::conv2d")
    assert kinds(links.predecessors(convolution)) == ["prim::ListConstruct"]
    assert kinds(links.successors(convolution)) == ["aten::relu"]


def test_what_a_region_begins_with_comes_from_the_node_that_holds_it() -> None:
    links = Links(branches())
    assert links.producer("carried") == links.producer("z")
    assert kinds(links.users("kept")) == ["prim::Loop"]


def test_edges_lead_out_of_branches_and_never_back() -> None:
    graph = branches()
    links = Links(graph)
    order = {node.id: index for index, node in enumerate(graph.walk())}
    edges = list(links.edges())
    assert all(order[begin] < order[end] for begin, end, _ in edges)
    users_of_y = {
        links.nodes[begin].kind for begin, end, name in edges if name == "y" and links.nodes[end].kind == "prim::Loop"
    }
    assert users_of_y == {"prim::If", "aten::mul", "aten::sub"}
