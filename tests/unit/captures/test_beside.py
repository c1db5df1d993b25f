"""Two programs counted and put side by side."""

from __future__ import annotations

from pdt_annotate.captures.beside import ALL_SORTS, NUMBERS, TENSORS, count, put_beside
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion, GraphValue
from pdt_annotate.values.places import Place

LINE = Place("model.py", 4, 9)


def node(number: int, kind: str, *regions: GraphRegion, line: Place = LINE) -> GraphNode:
    return GraphNode(number, kind, outputs=(str(number),), place=line, regions=regions)


def graph(*nodes: GraphNode, **types: str) -> Graph:
    values = {name.removeprefix("v"): GraphValue(name, type_) for name, type_ in types.items()}
    return Graph("model.py:Net", "script", GraphRegion("body", nodes), values)


BRANCH = node(
    0, "prim::If", GraphRegion("then", (node(1, "aten::mul"),)), GraphRegion("else", (node(2, "aten::size"),))
)
SCRIPTED = graph(BRANCH, v0="Tensor", v1="Tensor", v2="List[int]")
TRACED = graph(node(0, "aten::mul", line=Place("model.py", 4)), node(1, "aten::add", line=Place()))


def test_operators_are_counted_inside_branches_too() -> None:
    program = count("script", "code", SCRIPTED)
    assert program.operators == {"prim::If": 1, "aten::mul": 1, "aten::size": 1}
    assert {sort: number for sort, number in program.sorts.items() if number} == {TENSORS: 1, "branches": 1, NUMBERS: 1}
    assert tuple(program.sorts) == ALL_SORTS


def test_what_makes_a_value_of_no_known_type_counts_as_of_tensors() -> None:
    assert count("trace", "", TRACED).sorts[TENSORS] == 2


def test_the_same_programs_have_no_line_that_differs() -> None:
    program = count("script", "", SCRIPTED)
    assert put_beside((program, SCRIPTED), (program, SCRIPTED)).lines == ()


def test_a_convolution_is_one_by_whatever_name() -> None:
    scripted, traced = graph(node(0, "aten::conv2d")), graph(node(0, "aten::_convolution"))
    assert put_beside((count("script", "", scripted), scripted), (count("trace", "", traced), traced)).lines == ()


def test_a_line_has_what_one_program_has_more_whatever_the_column() -> None:
    left, right = count("script", "", SCRIPTED), count("trace", "", TRACED)
    beside = put_beside((left, SCRIPTED), (right, TRACED))
    assert [(each.place, each.left, each.right) for each in beside.lines] == [
        (Place(), {}, {"aten::add": 1}),
        (Place("model.py", 4), {"prim::If": 1, "aten::size": 1}, {}),
    ]
