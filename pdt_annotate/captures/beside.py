"""Two captured programs side by side: what each has of which sort, and line by line what only one of them has.

What a traced program has lost shows here: branches, loops, checks, what is done to lists and sizes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pdt_annotate.values.captures import CapturedProgram, LineBeside, SideBySide
from pdt_annotate.values.graphs import Graph, GraphNode
from pdt_annotate.values.places import Place

TENSORS = "tensor operators"
NUMBERS = "numbers, sizes and texts"

SORTS = {
    "branches": "prim::If",
    "loops": "prim::Loop",
    "raises and assertions": "prim::RaiseException aten::_assert_async aten::_assert_scalar"
    " aten::_assert_tensor_metadata aten::sym_constrain_range_for_size torch::_assert",
    "type and None checks": "prim::isinstance prim::unchecked_cast prim::unchecked_unwrap_optional prim::Uninitialized"
    " prim::TensorExprGroup aten::__is__ aten::__isnot__ aten::_unwrap_optional",
    "lists, dicts and tuples": "prim::ListConstruct prim::ListUnpack prim::DictConstruct prim::TupleConstruct"
    " prim::TupleUnpack prim::TupleIndex prim::TupleSlice aten::append aten::extend aten::insert aten::pop aten::list"
    " aten::dict aten::keys aten::values aten::items aten::len aten::__getitem__ aten::_set_item aten::__contains__"
    " aten::Delete aten::get aten::update operator::getitem",
}
"""By sort, its operators. A tensor operator is any other that makes a tensor, or lists or tuples of them."""

_SORT_OF = {kind: sort for sort, kinds in SORTS.items() for kind in kinds.split()}

ALIKE = {
    f"aten::{name}": "aten::convolution"
    for name in (
        "_convolution",
        "conv1d",
        "conv2d",
        "conv3d",
        "conv_transpose1d",
        "conv_transpose2d",
        "conv_transpose3d",
    )
}
"""What a trace calls otherwise than a script does, and is the same: not told line by line."""

ALL_SORTS = (TENSORS, *SORTS, NUMBERS)


def count(way: str, code: str, graph: Graph) -> CapturedProgram:
    """A program with its operators counted."""
    operators = Counter(node.kind for node in graph.walk())
    sorts = Counter(_sort(graph, node) for node in graph.walk())
    return CapturedProgram(way, code, dict(operators), {sort: sorts[sort] for sort in ALL_SORTS})


def put_beside(left: tuple[CapturedProgram, Graph], right: tuple[CapturedProgram, Graph]) -> SideBySide:
    """Two programs of one target, each with its graph."""
    return SideBySide(left[0], right[0], tuple(_lines(_by_line(left[1]), _by_line(right[1]))))


def _by_line(graph: Graph) -> dict[Place, Counter[str]]:
    lines: dict[Place, Counter[str]] = {}
    for node in graph.walk():
        lines.setdefault(node.place.whole_line, Counter())[ALIKE.get(node.kind, node.kind)] += 1
    return lines


def _lines(left: dict[Place, Counter[str]], right: dict[Place, Counter[str]]) -> Iterator[LineBeside]:
    """Those that differ, in the order of the source."""
    for place in sorted({*left, *right}):
        here, there = left.get(place, Counter()), right.get(place, Counter())
        if here != there:
            yield LineBeside(place, dict(here - there), dict(there - here))


def _sort(graph: Graph, node: GraphNode) -> str:
    if node.kind in _SORT_OF:
        return _SORT_OF[node.kind]
    types = [graph.values[name].type for name in node.outputs if name in graph.values]
    return NUMBERS if types and not any("Tensor" in each or each == "t" for each in types) else TENSORS
