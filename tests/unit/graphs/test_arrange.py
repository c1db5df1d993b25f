"""Which boxes there are, what stands in them, and which frames hold them."""

from __future__ import annotations

from pathlib import Path

import drawn_graphs
import pytest

from pdt_annotate.graphs.arrange import arrange
from pdt_annotate.graphs.drawing import Box, Frame
from pdt_annotate.graphs.flow import Folds
from pdt_annotate.values.graphs import Graph
from pdt_annotate.values.places import Place


def outline(frame: Frame) -> list[object]:
    """The members by head, frames as a list behind their title."""
    return [each.head if isinstance(each, Box) else [each.title, *outline(each)] for each in frame.members]


def boxes(graph: Graph) -> dict[str, Box]:
    return {box.key: box for box in arrange(graph).root.boxes()}


@pytest.mark.parametrize("seed", range(4))
def test_every_node_is_drawn_once_and_every_edge_joins_boxes(seed: int) -> None:
    graph = drawn_graphs.wild(seed)
    drawing = arrange(graph)
    drawn = [box.node.id for box in drawing.root.boxes() if box.node]
    assert sorted(drawn) == [node.id for node in graph.walk()]
    keys = [box.key for box in drawing.root.boxes()]
    assert len(keys) == len(set(keys))
    assert {end for edge in drawing.edges for end in (edge.source, edge.target)} <= set(keys)


def test_modules_are_frames_and_a_module_of_one_node_stands_in_it() -> None:
    drawing = arrange(drawn_graphs.residual())
    block = ["conv2d", "relu", "add"]
    blocks = [["blocks.0  Block", *block], ["blocks.1  Block", *block]]
    assert outline(drawing.root) == ["x", ["blocks  Sequential", *blocks], "return"]
    assert [box.aside for box in drawing.root.boxes() if box.head == "conv2d"] == ["conv", "conv"]


def test_constants_lists_and_parameters_stand_in_the_node_that_takes_them() -> None:
    box = boxes(drawn_graphs.residual())["n2"]
    assert box.lines == ("weight [4,3,3,3]", "stride [1,2]", "→ [2,3] float32")
    assert box.facts["weight"] == "blocks.0.conv.weight: [4,3,3,3] float32"
    assert box.facts["stride"] == "[1, 2]"
    assert box.facts["makes"] == "%c0: [2,3] float32"


def test_attributes_are_named_where_their_value_may_change() -> None:
    made = drawn_graphs.Sketch()
    made.value("x")
    starts = made.value("starts", "List[int]", None, constant="[]", path="starts")
    level = made.value("level", "float", None, path="level")
    more = made.node("aten::append", [starts, "x"], ["none"], arguments=("self", "el"))
    packed = made.node("prim::TupleConstruct", ["x", level], ["both"])
    found = boxes(made.graph(["x"], [more, packed], ["both"]))
    assert found["n1"].facts["self"] == "starts"
    assert found["out-0"].lines == ("[2,3] float32", "level")


def test_a_list_that_is_changed_stays_a_node() -> None:
    made = drawn_graphs.Sketch()
    made.value("x")
    empty = made.node("prim::ListConstruct", [], ["all"])
    more = made.node("aten::append", ["all", "x"], ["none"])
    graph = made.graph(["x"], [empty, more], ["all"])
    assert not Folds(graph).is_folded(empty)
    assert {"n1", "n2"} <= set(boxes(graph))


def test_a_module_that_would_close_a_circle_has_two_frames() -> None:
    twice = ["relu", "relu"]
    assert outline(arrange(drawn_graphs.called_twice()).root) == [
        "x",
        ["a", *twice],
        ["b", *twice],
        ["a", *twice],
        "return",
    ]


def test_modules_whose_nodes_are_mixed_have_one_frame_each() -> None:
    two = ["relu", "relu"]
    assert outline(arrange(drawn_graphs.mixed_order()).root) == ["x", ["a", *two], ["b", *two], "add", "return"]


def test_regions_are_frames_and_nothing_leads_back() -> None:
    drawing = arrange(drawn_graphs.branches())
    inner = ["if", "if", ["then", "add", "ends with"], ["else", "ends with"], "after if"]
    assert outline(drawing.root) == [
        "x",
        "n",
        "Bool",
        ["if", "if", ["then", "mul", "ends with"], ["else", "sub", "ends with"], "after if"],
        ["loop", "loop", ["each turn", "begins with", "tanh", "gt", inner, "ends with"], "after loop"],
        "return",
        "return",
    ]
    order = {box.key: index for index, box in enumerate(drawing.root.boxes())}
    assert all(order[edge.source] < order[edge.target] for edge in drawing.edges)


def test_what_a_region_takes_from_outside_is_led_into_it() -> None:
    drawing = arrange(drawn_graphs.branches())
    ends = {(edge.source, edge.target): edge.values for edge in drawing.edges}
    made_by_if, add = "n4-end", "n7"
    assert ends[made_by_if, add] == ("y",)


def test_a_value_is_led_to_a_module_that_begins_before_the_one_that_makes_it() -> None:
    drawing = arrange(drawn_graphs.late_taker())
    assert outline(drawing.root)[1:3] == [["a", "relu", "relu"], ["b", "relu", "relu"]]
    assert ("n3", "n4") in {(edge.source, edge.target) for edge in drawing.edges}


def test_what_reads_a_list_comes_after_what_fills_it() -> None:
    drawing = arrange(drawn_graphs.gathering())
    flows = {(edge.source, edge.target): edge.values for edge in drawing.edges}
    assert flows["n1", "n2"] == flows["n2", "n3-end"] == flows["n3-end", "n4"] == ("all",)
    assert ("n1", "n4") not in flows


def test_a_box_holds_its_text() -> None:
    for box in boxes(drawn_graphs.residual(Place("some/where/model.py", 12))).values():
        assert box.size[0] > 6.6 * max(map(len, (box.head, *box.lines)))


def test_a_branch_says_what_its_line_says(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("def f(x):\n    if x.sum() > 0:\n")
    assert boxes(drawn_graphs.branches(Place(str(file), 2)))["n4"].lines == ("if x.sum() > 0:",)
