"""Follows values through a graph, to the places that show another class, or another number, than in Python."""

import functools
from collections.abc import Iterator
from typing import Any

import torch

from pdt_annotate.values.groups import grouped
from pdt_annotate.values.live import is_a
from pdt_annotate.values.slots import NO_PLACE, Place
from pdt_annotate.verify.traps.graph_facts import PASSING, Graph, Node, Value, constant, kind_of, nodes_of, place_of

CLASS, WIDE = "class", "wide"  # further kinds: a float for an int in Python, and a number beyond 64 bit
INT, FLOAT, BOOL, COMPLEX = "IntType", "FloatType", "BoolType", "ComplexType"
LIST, TUPLE, DEVICE, STRING = "ListType", "TupleType", "DeviceObjType", "StringType"
CONTAINERS = frozenset({LIST, TUPLE})
# The dtypes of whole numbers in a graph: a tensor of one cuts numbers in Python, too.
WHOLE_DTYPES = frozenset(range(5))
KINDS = frozenset({INT, FLOAT, BOOL, COMPLEX, LIST, TUPLE, DEVICE, STRING})

MAKING = {f"aten::{name}" for name in ["full", "tensor", "arange", "as_tensor", "scalar_tensor"]}
HOLDING = {f"prim::{name}" for name in ["TupleConstruct", "ListConstruct", "DictConstruct", "CreateObject"]} | PASSING
OPENING = {"prim::TupleUnpack", "prim::TupleIndex", "prim::ListUnpack", "aten::get", "aten::values", "aten::pop"}
ADDING = {f"aten::{name}" for name in ["append", "insert", "extend", "_set_item", "add_"]}
COMPARING = {f"aten::{name}" for name in ["eq", "ne", "lt", "le", "gt", "ge", "__contains__"]}
TEXT = {"aten::str", "aten::format", "aten::percentFormat"}
# An argument only sizes, counts or words these: they refuse a fraction, or nobody sees it.
COUNTING = {"prim::Print", "prim::RaiseException", "prim::Return", "prim::If", "prim::Loop"} | {
    f"aten::{name}" for name in ["warn", "len", "__is__", "__isnot__", "__range_length", "__derive_index", "arange"]
}
CHOOSING = {"prim::min", "prim::max", "prim::abs", "aten::min", "aten::max"}
WHOLE = {"aten::add", "aten::sub", "aten::mul", "aten::neg"} | CHOOSING  # these make whole numbers of whole numbers
# These return a tensor in Python if one of their numbers is one; the functions of `math` make floats of it.
FLOATING = {"aten::div", "aten::pow", "aten::remainder", "aten::floordiv"} | WHOLE


def passed_on(node: Node) -> Iterator[tuple[Value, Value]]:
    """The values that leave the blocks of a branch or loop, or go around in it, each with a value that it becomes."""
    outputs = list(node.outputs())
    if node.kind() == "prim::If":
        for block in node.blocks():
            yield from zip(block.outputs(), outputs, strict=True)
    elif node.kind() == "prim::Loop":
        (block,) = node.blocks()
        (_, *inner), (_, *ends), (_, _, *first) = block.inputs(), block.outputs(), node.inputs()
        for earlier, later in ((ends, outputs), (first, inner), (first, outputs), (ends, inner)):
            yield from zip(earlier, later, strict=True)


class ValueFlow:
    """The uses of the values of a graph with inlined calls; `subscripts` are the places of indices in brackets."""

    def __init__(self, graph: Graph, subscripts: frozenset[Place] = frozenset()) -> None:
        self._results = {each.unique() for each in graph.outputs()}
        self._subscripts = subscripts
        nodes = list(nodes_of(graph))
        self._onward = grouped((value.unique(), later) for node in nodes for value, later in passed_on(node))
        # The values that decide whether a loop begins, and goes on.
        loops = [(node.inputsAt(1), *node.blocks()) for node in nodes if node.kind() == "prim::Loop"]
        self._turns = {each.unique() for begin, block in loops for each in (begin, next(iter(block.outputs())))}

    def shows(self, value: Value, kind: str) -> list[Place]:
        """The places where it shows, in the order of the computation; a place without a file for a result.

        Empty if it is a size, a number of turns, or checked. Nobody passes a fraction for an int that is also one of
        these, or is in a container.
        """
        pending, met = [(value, True)], set()
        found: list[tuple[Place, bool]] = []
        is_inside = kind == INT and kind not in own_kinds(value)
        is_refused = is_inside
        while pending:
            each, is_as_passed = pending.pop(0)
            if (each.unique(), is_as_passed) in met:
                continue
            met.add((each.unique(), is_as_passed))
            if each.unique() in self._results:
                found.append((NO_PLACE, is_as_passed and not is_inside))
            if each.unique() in self._turns and _decides(kind, is_as_passed):
                found.append((place_of(each.node()), False))
            pending += [(later, is_as_passed) for later in self._onward.get(each.unique(), ())]
            for use in each.uses():
                is_refused |= kind == INT and _refuses(use.user, use.offset)
                if self._ends(use.user, use.offset, kind, is_as_passed):
                    place = place_of(use.user)
                    found.append((place, is_as_passed and (self._indexes(use.user) or not _is_of_tensors(use.user))))
                pending += _made(use.user, use.offset, kind, is_as_passed)
        return [place for place, is_of_whole in found if is_of_whole or not is_refused]

    def _ends(self, node: Node, offset: int, kind: str, is_as_passed: bool) -> bool:
        """Whether it shows in the effect of a node."""
        name = node.kind()
        if name == "prim::SetAttr":
            return True
        if name == "prim::If":
            inner = (each.kind() for block in node.blocks() for each in block.nodes())
            return _decides(kind, is_as_passed) and "prim::RaiseException" not in inner
        if name in COUNTING or not _is_of_tensors(node):
            return False
        if is_as_passed and self._indexes(node) and offset in (0, 2):
            return kind == INT or (kind in CONTAINERS and name == "aten::tensor")
        # It takes any number there, or makes a tensor of it.
        arguments = _arguments(str(node.schema()))
        is_number = offset < len(arguments) and arguments[offset][1] == "NumberType"
        return (is_number or (offset == 0 and name in MAKING)) and _alters(node, offset, kind)

    def _indexes(self, node: Node) -> bool:
        """Whether a node is an index of a tensor in brackets; one that the compiler makes of a list has no place."""
        place, name = place_of(node), node.kind()
        return (name == "aten::select" and place in self._subscripts) or (name == "aten::tensor" and not place.file)


def showing(graph: Graph, nodes: list[Node], kind: str) -> list[Node]:
    """The nodes of a graph with inlined calls whose result shows."""
    flow = ValueFlow(graph) if nodes else None
    return [node for node in nodes if flow and flow.shows(node.output(), kind)]


def dtype_of(node: Node) -> Value | None:
    """The dtype that an operator is called with, if any."""
    given = zip(_arguments(str(node.schema())), node.inputs(), strict=False)
    dtype = next((value for (name, _), value in given if name == "dtype"), None)
    return None if dtype is None or kind_of(dtype) == "NoneType" else dtype


def kinds_in(type_: Any) -> frozenset[str]:
    """The kinds of the values that a caller may pass in an argument of a type, and of their parts."""
    if is_a(type_, torch.OptionalType):
        return kinds_in(type_.getElementType())
    inner = frozenset[str]()
    if is_a(type_, torch.ListType):
        inner = kinds_in(type_.getElementType())
    elif is_a(type_, torch.DictType):
        inner = kinds_in(type_.getValueType())
    elif is_a(type_, torch.TupleType):
        inner = frozenset().union(*map(kinds_in, type_.elements()))
    return inner | (KINDS & {type_.kind()})


def own_kinds(value: Value) -> set[str]:
    """The kinds of a value itself, without its parts."""
    return {str(value.type().kind()), _kind_in_optional(value.type())}


def _decides(kind: str, is_as_passed: bool) -> bool:
    """Whether a branch may go the other way: a number is as true as when it was passed."""
    return kind in (INT, WIDE) or (kind in (BOOL, DEVICE, *CONTAINERS) and not is_as_passed)


def _is_of_tensors(node: Node) -> bool:
    types = (each.type().annotation_str for each in (*node.inputs(), *node.outputs()))
    return node.kind().startswith("aten::") and any("Tensor" in each for each in types)


@functools.cache
def _arguments(schema: str) -> tuple[tuple[str, str], ...]:
    """The names of the arguments of an operator, each with the kind of its type."""
    return tuple((each.name, _kind_in_optional(each.type)) for each in torch._C.parse_schema(schema).arguments)


def _kind_in_optional(type_: Any) -> str:
    return str((type_.getElementType() if is_a(type_, torch.OptionalType) else type_).kind())


def _refuses(node: Node, offset: int) -> bool:
    """Whether Python takes no fraction there: as a size, a dimension, a number of turns, an index of a list."""
    name = node.kind()
    if name in ("prim::Loop", "aten::__range_length"):
        return name != "prim::Loop" or offset == 0
    if name == "prim::ListConstruct":
        return any(_is_of_tensors(use.user) and _refuses(use.user, use.offset) for use in node.output().uses())
    if name == "aten::__getitem__" or name == "aten::slice":
        return offset > 0
    if not _is_of_tensors(node):
        return False
    arguments = _arguments(str(node.schema()))
    return name not in MAKING and offset < len(arguments) and arguments[offset][1] in (INT, LIST)


def _alters(node: Node, offset: int, kind: str) -> bool:
    """Whether the resulting tensor has another value, another dtype, or no gradient."""
    name = node.kind()
    dtype = dtype_of(node) if name in MAKING else None
    if kind in (INT, BOOL, COMPLEX):
        return dtype is None or constant(dtype) not in WHOLE_DTYPES
    if kind not in (FLOAT, CLASS):
        return False
    if name in MAKING:
        return dtype is None
    return name not in COMPARING and _may_be_tensor(name, _arguments(str(node.schema()))[offset][0])


@functools.cache
def _may_be_tensor(name: str, argument: str) -> bool:
    """Whether another variant of an operator takes a tensor in the place of a number."""
    arguments = (each for schema in torch._C._jit_get_schemas_for_operator(name) for each in schema.arguments)
    return any(each.name == argument and _kind_in_optional(each.type) == "TensorType" for each in arguments)


def _made(node: Node, offset: int, kind: str, is_as_passed: bool) -> Iterator[tuple[Value, bool]]:
    """The values made of a value, except for tensors, and whether each is still the value that was passed."""
    name, outputs = node.kind(), list(node.outputs())
    first = node.inputsAt(0)
    is_list = kind_of(first) in ("ListType", "DictType")
    if name in HOLDING:
        yield from ((each, is_as_passed) for each in outputs if not (kind == STRING and name == "prim::DictConstruct"))
    elif name in OPENING or (name == "aten::__getitem__" and is_list):
        yield from ((each, is_as_passed) for each in outputs if not offset and kind in kinds_in(each.type()))
    elif name in ADDING and is_list:
        yield from ((each, is_as_passed) for each in (first, *outputs) if offset)
    elif name not in COUNTING and not _is_of_tensors(node) and _goes_on(node, offset, kind, is_list):
        yield from ((each, is_as_passed and kind_of(each) in CONTAINERS) for each in outputs)


def _goes_on(node: Node, offset: int, kind: str, is_list: bool) -> bool:
    """Whether a difference in an argument makes one in the result, for an operator on numbers, texts and lists."""
    name: str = node.kind()
    if kind == CLASS:
        is_whole = all(kind_of(each) in (INT, FLOAT) for each in node.inputs())
        others = [each for index, each in enumerate(node.inputs()) if index != offset]
        return name in TEXT or (name in WHOLE and is_whole and all(kind_of(each) == INT for each in others))
    if kind == FLOAT:
        return name in FLOATING or (is_list and not offset and name == "aten::slice")
    if kind == BOOL:
        return name != "aten::__not__"
    if kind == COMPLEX:
        return name not in COMPARING
    if kind == DEVICE:
        return name in COMPARING
    if kind in CONTAINERS:
        return name in (COMPARING - {"aten::__contains__"}) | TEXT or (
            name in ("aten::slice", "aten::add", "aten::mul") and is_list and not offset
        )
    if name == "aten::__contains__":
        return kind == INT and offset == 1
    return kind != STRING and not (is_list and offset and name not in COMPARING)
