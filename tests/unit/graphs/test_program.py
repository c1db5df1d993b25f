"""Makers and users of values, and the nodes before and after a node."""

from __future__ import annotations

import networkx
import pytest
from drawn_graphs import branches, called_twice, residual, wild

from pdt_annotate.graphs.program import INPUT, OUTPUT, Links, to_networkx
from pdt_annotate.values.graphs import Graph, GraphNode
from pdt_annotate.values.places import Place


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


@pytest.mark.parametrize("graph", [residual(), branches(), called_twice(), wild(1), wild(2)])
def test_it_is_acyclic_and_has_every_node(graph: Graph) -> None:
    made = to_networkx(graph)
    assert networkx.is_directed_acyclic_graph(made)
    assert set(made) == {node.id for node in graph.walk()} | set(graph.body.inputs) | {OUTPUT}


def test_nodes_and_edges_say_what_they_are() -> None:
    made = to_networkx(residual(Place("net.py", 7)))
    conv = next(node for node, known in made.nodes(data=True) if known["kind"] == "aten::conv2d")
    known = made.nodes[conv]
    assert (known["module"], known["file"], known["line"]) == ("blocks.0.conv", "net.py", 7)
    assert (known["outputs"], known["shapes"], known["dtypes"]) == (("c0",), ((2, 3),), ("float32",))
    assert made.nodes["x"]["kind"] == INPUT
    assert made.edges["x", conv]["values"] == (("x", "Tensor", (2, 3), "float32"),)
    assert networkx.has_path(made, "x", OUTPUT)


def test_what_is_inside_a_region_knows_where() -> None:
    made = to_networkx(branches())
    inside = {
        known["kind"]: (known["parent"], known["region"]) for _, known in made.nodes(data=True) if "parent" in known
    }
    decision = next(node for node, known in made.nodes(data=True) if known["kind"] == "prim::If")
    assert inside["aten::mul"] == (decision, "then") and inside["aten::sub"] == (decision, "else")
    assert inside["aten::tanh"][1] == "loop"
