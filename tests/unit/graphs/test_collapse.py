"""Modules as single nodes, down to a depth."""

from __future__ import annotations

import pytest
from drawn_graphs import branches, called_twice, mixed_order, residual, wild

from pdt_annotate.graphs.collapse import collapse
from pdt_annotate.values.graphs import Graph, GraphRegion


def shown(graph: Graph) -> list[str]:
    return [
        f"{node.module or node.kind}({', '.join(node.inputs)}) -> {', '.join(node.outputs)}" for node in graph.walk()
    ]


def test_no_depth_changes_nothing() -> None:
    graph = residual()
    assert collapse(graph, 0) is graph


def test_what_lies_above_the_depth_stays() -> None:
    graph = branches()
    kinds = [node.kind for node in collapse(graph, 2).walk()]
    assert kinds == [node.kind for node in graph.walk()]


def test_a_module_takes_and_makes_what_crosses_its_border() -> None:
    collapsed = collapse(residual(), 2)
    assert [line for line in shown(collapsed) if line.startswith("blocks")] == [
        "blocks.0(x, stride0) -> a0",
        "blocks.1(a0, stride1) -> a1",
    ]
    assert [node.kind for node in collapsed.walk() if node.module] == ["net.Block", "net.Block"]
    assert "c0" not in collapsed.values and "p.blocks.0.conv.weight" not in collapsed.values


def test_a_module_in_a_branch_is_collapsed_there() -> None:
    collapsed = collapse(branches(), 1)
    decision = next(node for node in collapsed.walk() if node.kind == "prim::If")
    assert [(node.kind, node.module) for node in decision.regions[0].nodes] == [("module", "lin")]
    assert decision.regions[0].outputs == decision.regions[0].nodes[0].outputs == ("double",)


def test_a_module_that_is_called_twice_closes_no_circle() -> None:
    assert shown(collapse(called_twice(), 1)) == ["a(x) -> v1", "b(v1) -> v3", "a(v3) -> v5"]


def test_modules_whose_nodes_are_mixed_are_two_nodes() -> None:
    assert shown(collapse(mixed_order(), 1)) == ["a(x) -> v2", "b(x) -> v3", "aten::add(v2, v3) -> sum"]


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_every_value_is_made_before_it_is_used(seed: int, depth: int) -> None:
    graph = wild(seed)
    collapsed = collapse(graph, depth)
    assert collapsed.body.outputs == graph.body.outputs
    assert [node.id for node in collapsed.walk()] == list(range(len(list(collapsed.walk()))))
    assert_made(collapsed.body, set())


def assert_made(region: GraphRegion, known: set[str]) -> None:
    known |= set(region.inputs)
    for node in region.nodes:
        assert known >= set(node.inputs), node
        known |= set(node.outputs)
    assert known >= set(region.outputs)
