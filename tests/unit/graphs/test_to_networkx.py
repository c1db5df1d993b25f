"""What networkx is given: an acyclic graph whose nodes and edges say what they are."""

from __future__ import annotations

import networkx
import pytest
from drawn_graphs import branches, called_twice, residual, wild

from pdt_annotate.graphs.to_networkx import INPUT, OUTPUT, to_networkx
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.places import Place


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
