"""Tensors made of numbers, whose dtype follows the type that the compiler gave these."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.source.syntax import is_call_of
from pdt_annotate.values.further import Trap
from pdt_annotate.verify.traps import graphs
from pdt_annotate.verify.traps.shown import CLASS, ValueFlow
from pdt_annotate.verify.traps.view import Compiled, View

CODE = "PDT118"
MAKING = ("aten::full", "aten::tensor", "aten::arange", "aten::as_tensor", "aten::scalar_tensor")
SUMMING = "aten::sum.float"
CHOOSING = ("prim::min", "prim::max")


def find(view: View) -> Iterator[Trap]:
    for function in view.functions:
        yield from _full_of_bools(function)
        yield from _whole_floats(function)
    for entry, graph in view.inlined:
        yield from _mixed(entry, graph)


def _full_of_bools(function: Compiled) -> Iterator[Trap]:
    for node in function.parts:
        if not (is_call_of(node, "full") and isinstance(node, ast.Call)):
            continue
        named = {each.arg: each.value for each in node.keywords}
        value = named.get("fill_value", node.args[1] if len(node.args) > 1 else None)
        is_bool = isinstance(value, ast.Constant) and isinstance(value.value, bool)
        if is_bool and "dtype" not in named and "out" not in named:
            message = (
                "`torch.full` of a bool makes bools in Python and whole numbers in TorchScript; pass `dtype=torch.bool`"
            )
            yield function.trap(CODE, message, node)


def _whole_floats(function: Compiled) -> Iterator[Trap]:
    """A float that may be a whole number when Python passes it: what is made of it alone has another dtype then."""
    if not function.entry:
        return
    given = {v.unique() for graph in function.graphs for v in graph.inputs() if _is_float(v)}
    for node in function.nodes:
        if str(node.kind()) not in MAKING and graphs.operator(node) != SUMMING:
            continue
        if any(_comes_from(value, given) for value in node.inputs()) and not _has_dtype(node):
            message = (
                "TorchScript takes a whole number for a float here, so the result is one of floats where Python's is "
                "one of whole numbers; pass `dtype=`, or convert with `float()`"
            )
            yield function.trap(CODE, message, graphs.place_of(node), doubtful=True)


def _mixed(entry: Compiled, graph: graphs.Graph) -> Iterator[Trap]:
    """The smaller or larger of an int and a float, where it shows that Python leaves the int as it is."""
    chosen = [node for node in graphs.nodes_of(graph) if str(node.kind()) in CHOOSING]
    mixed = [node for node in chosen if {graphs.kind_of(each) for each in node.inputs()} == {"IntType", "FloatType"}]
    flow = ValueFlow(graph) if mixed else None
    for node in mixed:
        if flow and flow.shows(node.output(), CLASS):
            word = str(node.kind()).removeprefix("prim::")
            message = (
                f"`{word}` of an int and a float is always a float in TorchScript, and in Python the int where that is "
                "it; make both floats: `float(n)`"
            )
            yield entry.trap(CODE, message, graphs.place_of(node))


def _is_float(value: graphs.Value) -> bool:
    return "FloatType" in (graphs.kind_of(value), graphs.element_kind(value))


def _comes_from(value: graphs.Value, given: set[int]) -> bool:
    if value.unique() in given:
        return True
    is_list = str(value.node().kind()) == "prim::ListConstruct"
    return is_list and any(each.unique() in given for each in value.node().inputs())


def _has_dtype(node: graphs.Node) -> bool:
    names = [part.rpartition(" ")[2].partition("=")[0] for part in str(node.schema()).partition(")")[0].split(",")]
    given = dict(zip(names, node.inputs(), strict=False))
    return "dtype" in given and graphs.kind_of(given["dtype"]) != "NoneType"
