"""The boxes and frames of a graph, collapsed modules, producers and users of values, names, and the listing."""

from collections.abc import Callable
from pathlib import Path

import networkx
import pytest
from drawn_graphs import Sketch, branches, called_twice, gathering, late_taker, mixed_order, residual, wild

from pdt_annotate.emit.words import TIMES
from pdt_annotate.graphs import listing, node_names
from pdt_annotate.graphs.arrange import arrange
from pdt_annotate.graphs.collapse import collapse
from pdt_annotate.graphs.drawing import Box, Frame, columns
from pdt_annotate.graphs.flow import Folds
from pdt_annotate.graphs.program import INPUT, OUTPUT, Links, to_networkx
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion, GraphValue
from pdt_annotate.values.slots import Place


def outline(frame: Frame) -> list[object]:
    """The heads of the members. A frame is a list after its title."""
    return [each.head if isinstance(each, Box) else [each.title, *outline(each)] for each in frame.members]


def boxes(graph: Graph) -> dict[str, Box]:
    return {box.key: box for box in arrange(graph).root.boxes()}


def flows(graph: Graph) -> dict[tuple[str, str], tuple[str, ...]]:
    return {(edge.source, edge.target): edge.values for edge in arrange(graph).edges}


@pytest.mark.parametrize("seed", range(4))
def test_every_node_is_drawn_once_and_every_edge_joins_boxes(seed: int) -> None:
    graph = wild(seed)
    drawing = arrange(graph)
    assert sorted([box.node.id for box in drawing.root.boxes() if box.node]) == [node.id for node in graph.walk()]
    keys = [box.key for box in drawing.root.boxes()]
    assert len(keys) == len(set(keys))
    assert {end for edge in drawing.edges for end in (edge.source, edge.target)} <= set(keys)


BLOCK, TWICE = ["conv2d", "relu", "add"], ["relu", "relu"]
INNER = ["if", "if", ["then", "add", "ends with"], ["else", "ends with"], "after if"]


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            residual,
            ["x", ["blocks  Sequential", *(["blocks.0  Block", *BLOCK], ["blocks.1  Block", *BLOCK])], "return"],
        ),
        # A module that would cause a cycle has two frames. A module whose nodes are mixed with another's has one.
        (called_twice, ["x", ["a", *TWICE], ["b", *TWICE], ["a", *TWICE], "return"]),
        (mixed_order, ["x", ["a", *TWICE], ["b", *TWICE], "add", "return"]),
        (late_taker, ["x", ["a", *TWICE], ["b", *TWICE], "return", "return"]),
        (
            branches,
            [
                "x",
                "n",
                "Bool",
                ["if", "if", ["then", "mul", "ends with"], ["else", "sub", "ends with"], "after if"],
                ["loop", "loop", ["each turn", "begins with", "tanh", "gt", INNER, "ends with"], "after loop"],
                "return",
                "return",
            ],
        ),
    ],
)
def test_modules_and_regions_are_frames(make: Callable[[], Graph], expected: list[object]) -> None:
    assert outline(arrange(make()).root) == expected


def test_values_flow_into_regions_and_modules_and_out_of_what_fills_a_list_and_never_back() -> None:
    order = {key: index for index, key in enumerate(boxes(branches()))}
    assert all(order[source] < order[target] for source, target in flows(branches()))
    assert flows(branches())["n4-end", "n7"] == ("y",)
    assert ("n3", "n4") in flows(late_taker())
    found = flows(gathering())
    assert found["n1", "n2"] == found["n2", "n3-end"] == found["n3-end", "n4"] == ("all",)
    assert ("n1", "n4") not in found


def test_constants_lists_and_parameters_stand_in_the_node_that_takes_them() -> None:
    found = boxes(residual())
    assert [box.aside for box in found.values() if box.head == "conv2d"] == ["conv", "conv"]
    box = found["n2"]
    assert box.lines == ("weight [4,3,3,3]", "stride [1,2]", "→ [2,3] float32")
    assert box.facts["weight"] == "blocks.0.conv.weight: [4,3,3,3] float32"
    assert box.facts["stride"] == "[1, 2]"
    assert box.facts["makes"] == "%c0: [2,3] float32"


def test_attributes_are_named_where_their_value_may_change() -> None:
    made = Sketch()
    made.value("x")
    starts = made.value("starts", "List[int]", None, constant="[]", path="starts")
    level = made.value("level", "float", None, path="level")
    more = made.node("aten::append", [starts, "x"], ["none"], arguments=("self", "el"))
    found = boxes(made.graph(["x"], [more, made.node("prim::TupleConstruct", ["x", level], ["both"])], ["both"]))
    assert found["n1"].facts["self"] == "starts"
    assert found["out-0"].lines == ("[2,3] float32", "level")


def test_a_list_that_is_changed_stays_a_node_and_a_box_holds_its_text(tmp_path: Path) -> None:
    made = Sketch()
    made.value("x")
    empty = made.node("prim::ListConstruct", [], ["all"])
    graph = made.graph(["x"], [empty, made.node("aten::append", ["all", "x"], ["none"])], ["all"])
    assert not Folds(graph).is_folded(empty)
    assert {"n1", "n2"} <= set(boxes(graph))
    for box in boxes(residual(Place("some/where/model.py", 12))).values():
        assert box.size[0] > 6.6 * max(map(len, (box.head, *box.lines)))
    file = tmp_path / "model.py"
    file.write_text("def f(x):\n    if x.sum() > 0:\n")
    assert boxes(branches(Place(str(file), 2)))["n4"].lines == ("if x.sum() > 0:",)


def collapsed(graph: Graph, depth: int) -> list[str]:
    """The nodes of a graph with collapsed modules, written as calls."""
    return [
        f"{node.module or node.kind}({', '.join(node.inputs)}) -> {', '.join(node.outputs)}"
        for node in collapse(graph, depth).walk()
    ]


def test_a_module_takes_and_makes_what_crosses_its_border_at_its_depth() -> None:
    graph = branches()
    assert collapse(graph, 0) is graph
    assert [node.kind for node in collapse(graph, 2).walk()] == [node.kind for node in graph.walk()]
    found = collapse(residual(), 2)
    assert [line for line in collapsed(residual(), 2) if line.startswith("blocks")] == [
        "blocks.0(x, stride0) -> a0",
        "blocks.1(a0, stride1) -> a1",
    ]
    assert [node.kind for node in found.walk() if node.module] == ["net.Block", "net.Block"]
    assert "c0" not in found.values and "p.blocks.0.conv.weight" not in found.values


def test_a_module_is_collapsed_where_it_is_and_closes_no_circle() -> None:
    decision = next(node for node in collapse(branches(), 1).walk() if node.kind == "prim::If")
    assert [(node.kind, node.module) for node in decision.regions[0].nodes] == [("module", "lin")]
    assert decision.regions[0].outputs == decision.regions[0].nodes[0].outputs == ("double",)
    assert collapsed(called_twice(), 1) == ["a(x) -> v1", "b(v1) -> v3", "a(v3) -> v5"]
    assert collapsed(mixed_order(), 1) == ["a(x) -> v2", "b(x) -> v3", "aten::add(v2, v3) -> sum"]


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", range(8))
def test_every_value_is_made_before_it_is_used(seed: int, depth: int) -> None:
    graph = wild(seed)
    found = collapse(graph, depth)
    assert found.body.outputs == graph.body.outputs
    assert [node.id for node in found.walk()] == list(range(len(list(found.walk()))))
    assert_made(found.body, set())


def assert_made(region: GraphRegion, known: set[str]) -> None:
    known |= set(region.inputs)
    for node in region.nodes:
        assert known >= set(node.inputs), node
        known |= set(node.outputs)
    assert known >= set(region.outputs)


def kinds(nodes: tuple[GraphNode, ...]) -> list[str]:
    return [node.kind for node in nodes]


def test_makers_and_users_and_the_nodes_before_and_after() -> None:
    graph = residual()
    links = Links(graph)
    assert links.producer("x") is None
    assert kinds(links.users("x")) == ["aten::conv2d", "aten::add"]
    convolution = next(node for node in graph.walk() if node.kind == "aten::conv2d")
    assert kinds(links.predecessors(convolution)) == ["prim::ListConstruct"]
    assert kinds(links.successors(convolution)) == ["aten::relu"]


def test_edges_lead_out_of_branches_and_never_back() -> None:
    graph = branches()
    links = Links(graph)
    assert links.producer("carried") == links.producer("z"), "a region begins with what the node around it takes"
    assert kinds(links.users("kept")) == ["prim::Loop"]
    order = {node.id: index for index, node in enumerate(graph.walk())}
    edges = [(links.nodes[begin], links.nodes[end], name) for begin, end, name in links.edges()]
    assert all(order[begin.id] < order[end.id] for begin, end, _ in edges)
    into_loop = {begin.kind for begin, end, name in edges if name == "y" and end.kind == "prim::Loop"}
    assert into_loop == {"prim::If", "aten::mul", "aten::sub"}


@pytest.mark.parametrize("graph", [residual(), branches(), called_twice(), wild(1), wild(2)])
def test_for_networkx_it_is_acyclic_and_has_every_node(graph: Graph) -> None:
    made = to_networkx(graph)
    assert networkx.is_directed_acyclic_graph(made)
    assert set(made) == {node.id for node in graph.walk()} | set(graph.body.inputs) | {OUTPUT}


def test_nodes_and_edges_say_what_they_are_and_in_which_region() -> None:
    made = to_networkx(residual(Place("net.py", 7)))
    conv = next(node for node, known in made.nodes(data=True) if known["kind"] == "aten::conv2d")
    known = made.nodes[conv]
    assert (known["module"], known["file"], known["line"]) == ("blocks.0.conv", "net.py", 7)
    assert (known["outputs"], known["shapes"], known["dtypes"]) == (("c0",), ((2, 3),), ("float32",))
    assert made.nodes["x"]["kind"] == INPUT
    assert made.edges["x", conv]["values"] == (("x", "Tensor", (2, 3), "float32"),)
    assert networkx.has_path(made, "x", OUTPUT)
    nodes = to_networkx(branches()).nodes(data=True)
    inside = {known["kind"]: (known["parent"], known["region"]) for _, known in nodes if "parent" in known}
    decision = next(node for node, known in nodes if known["kind"] == "prim::If")
    assert inside["aten::mul"] == (decision, "then") and inside["aten::sub"] == (decision, "else")
    assert inside["aten::tanh"][1] == "loop"


FAMILIES = {
    **{"aten::_convolution": "convolution", "aten::layer_norm": "norm", "aten::log_softmax": "activation"},
    **{"aten::adaptive_avg_pool2d": "pool", "aten::scaled_dot_product_attention": "matrix", "aten::add_": "arithmetic"},
    **{"aten::max": "arithmetic", "aten::max_pool2d": "pool", "aten::transpose": "shape", "aten::t": "shape"},
    **{"prim::Loop": "control", "torchvision::nms": "other", "prim::DictConstruct": "other", "": "other"},
}
ACCESSED = {
    **{"": "self", "conv.weight": "self.conv.weight", "blocks.0.weight": "self.blocks[0].weight"},
    **{"other.0.weight": "getattr(self.other, '0').weight", "blocks.0.class": "getattr(self.blocks[0], 'class')"},
    "a-b.c": "getattr(self, 'a-b').c",
}


def test_words() -> None:
    assert {kind: node_names.family(kind) for kind in FAMILIES} == FAMILIES
    assert {path: node_names.accessed(path, ["blocks"]) for path in ACCESSED} == ACCESSED
    assert [node_names.cut("a.b.c", depth) for depth in (1, 2, 5)] == ["a", "a.b", "a.b.c"]
    assert node_names.shape(GraphValue("x")) == node_names.sizes(GraphValue("x")) == "Tensor"
    assert node_names.shape(GraphValue("x", shape=(), dtype="int64")) == "[] int64"
    assert node_names.shape(GraphValue("x", "Optional[Tensor]", None, "float32")) == "Optional[Tensor] float32"


RESIDUAL = """\
model.py:Net  frozen, 6 nodes
   x                                  [2,3] float32
   blocks  Sequential
     blocks.0  Block
2      conv2d  conv.weight [4,3,3,3]  [2,3] → [2,3]    model.py:12
3      relu                           [2,3] → [2,3]    model.py:12
4      add                            2x[2,3] → [2,3]  model.py:12
     blocks.1  Block
6      conv2d  conv.weight [4,3,3,3]  [2,3] → [2,3]    model.py:12
7      relu                           [2,3] → [2,3]    model.py:12
8      add                            2x[2,3] → [2,3]  model.py:12
   return                             [2,3]
"""
BRANCHES = """\
model.py:Net  frozen, 9 nodes
   x             [2,3] float32
   n             int
1  Bool          [2,3] → bool
4  if            bool → [2,3]
     then
2      mul  lin  [2,3] → [2,3]
     else
3      sub       [2,3] → [2,3]
9  loop          int, [2,3] → [2,3]
     each turn
5      tanh      [2,3] → [2,3]
6      gt        int → bool
8      if        bool → [2,3]
         then
7          add   2x[2,3] → [2,3]
   return        [2,3]
   return        [2,3]
"""


def test_the_listing() -> None:
    assert listing.render(residual(Place("/a/model.py", 12)), 80) == RESIDUAL.replace("2x", f"2{TIMES}")
    assert listing.render(branches()) == BRANCHES.replace("2x", f"2{TIMES}")


@pytest.mark.parametrize("width", [10, 40, 60, 80, 200])
@pytest.mark.parametrize("make", [residual, branches, lambda: wild(1)])
def test_nothing_in_the_listing_is_wider_than_the_terminal(width: int, make: Callable[[], Graph]) -> None:
    assert max(map(columns, listing.render(make(), width).splitlines()[1:])) <= max(width, 40)
