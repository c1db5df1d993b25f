"""Where in a graph it shows that a value is of another class than in Python, or another number."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import torch

from pdt_annotate.values.live import is_a
from pdt_annotate.values.places import NO_PLACE, Place
from pdt_annotate.verify.traps import graphs

CLASS, WIDE = "class", "wide"
"""What differs beside the kinds of the compiler: a float where Python has an int, and a number beyond 64 bit."""

INT, FLOAT, BOOL, COMPLEX = "IntType", "FloatType", "BoolType", "ComplexType"
LIST, TUPLE, DEVICE, STRING = "ListType", "TupleType", "DeviceObjType", "StringType"
CONTAINERS = frozenset({LIST, TUPLE})
WHOLE_DTYPES = frozenset(range(5))
"""Those of whole numbers, as a graph has them: a tensor of one cuts what it is made of in Python, too."""

KINDS = frozenset({INT, FLOAT, BOOL, COMPLEX, LIST, TUPLE, DEVICE, STRING})

MAKING = {f"aten::{name}" for name in ["full", "tensor", "arange", "as_tensor", "scalar_tensor"]}
HOLDING = {
    f"prim::{name}" for name in ["TupleConstruct", "ListConstruct", "DictConstruct", "CreateObject"]
} | graphs.PASSING
OPENING = {
    "prim::TupleUnpack",
    "prim::TupleIndex",
    "prim::ListUnpack",
    *(f"aten::{n}" for n in ("get", "values", "pop")),
}
ADDING = {f"aten::{name}" for name in ["append", "insert", "extend", "_set_item", "add_"]}
COMPARING = {f"aten::{name}" for name in ["eq", "ne", "lt", "le", "gt", "ge", "__contains__"]}
TEXT = {"aten::str", "aten::format", "aten::percentFormat"}
COUNTING = {"prim::Print", "prim::RaiseException", "prim::Return", "prim::If", "prim::Loop"} | {
    f"aten::{name}" for name in ["warn", "len", "__is__", "__isnot__", "__range_length", "__derive_index", "arange"]
}
"""What an argument only sizes, counts or words: a fraction is refused there, or nobody sees it."""

CHOOSING = {"prim::min", "prim::max", "prim::abs", "aten::min", "aten::max"}
WHOLE = {"aten::add", "aten::sub", "aten::mul", "aten::neg"} | CHOOSING  # what makes whole numbers of whole numbers

FLOATING = {"aten::div", "aten::pow", "aten::remainder", "aten::floordiv"} | WHOLE
"""What gives a tensor in Python where one of its numbers is one; the functions of `math` make floats of it."""


class ValueFlow:
    """Where the values of a graph go, in which all calls are inlined.

    Args:
        subscripts: where the source has an index in brackets: a tensor's method takes no bool in its place.
    """

    def __init__(self, graph: graphs.Graph, subscripts: frozenset[Place] = frozenset()) -> None:
        self._results = {each.unique() for each in graph.outputs()}
        self._subscripts = subscripts
        self._onward: dict[int, list[graphs.Value]] = {}
        self._turns: set[int] = set()
        for node in graphs.nodes_of(graph):
            if str(node.kind()) in ("prim::If", "prim::Loop"):
                self._note(node)

    def _note(self, node: graphs.Node) -> None:
        """How values come out of the blocks of a branch or loop, and go around."""
        outputs, blocks = list(node.outputs()), [list(each.outputs()) for each in node.blocks()]
        pairs = [pair for block in blocks for pair in zip(block[len(block) - len(outputs) :], outputs, strict=True)]
        if str(node.kind()) == "prim::Loop":
            inner = list(next(iter(node.blocks())).inputs())[1:]
            _, again, *first = node.inputs()
            pairs += [*zip(first, inner, strict=True), *zip(first, outputs, strict=True)]
            pairs += zip(blocks[0][1:], inner, strict=True)
            self._turns |= {again.unique(), blocks[0][0].unique()}
        for value, later in pairs:
            self._onward.setdefault(value.unique(), []).append(later)

    def shows(self, value: graphs.Value, kind: str) -> list[Place]:
        """Where it shows, in the order of what is made of it; a place without a file for a result.

        Nowhere if it is a size, a number of turns, or checked. For an int that is one of these as
        well, or lies in a container, nobody passes a fraction.
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
                found.append((graphs.place_of(each.node()), False))
            pending += [(later, is_as_passed) for later in self._onward.get(each.unique(), ())]
            for use in each.uses():
                is_refused |= kind == INT and _refuses(use.user, use.offset)
                if self._ends(use.user, use.offset, kind, is_as_passed):
                    place = graphs.place_of(use.user)
                    found.append((place, is_as_passed and (self._indexes(use.user) or not _is_of_tensors(use.user))))
                pending += _made(use.user, use.offset, kind, is_as_passed)
        return [place for place, is_of_whole in found if is_of_whole or not is_refused]

    def _ends(self, node: graphs.Node, offset: int, kind: str, is_as_passed: bool) -> bool:
        """Whether it shows in what a node does."""
        name = str(node.kind())
        if name == "prim::SetAttr":
            return True
        if name == "prim::If":
            return _decides(kind, is_as_passed) and not any(map(_raises, node.blocks()))
        if name in COUNTING or not _is_of_tensors(node):
            return False
        if is_as_passed and self._indexes(node) and offset in (0, 2):
            return kind == INT or (kind in CONTAINERS and name == "aten::tensor")
        return _takes_number(node, offset) and _alters(node, offset, kind)

    def _indexes(self, node: graphs.Node) -> bool:
        """Whether a node is an index of a tensor in brackets; what the compiler makes of a list there has no place."""
        place, name = graphs.place_of(node), str(node.kind())
        return (name == "aten::select" and place in self._subscripts) or (name == "aten::tensor" and not place.file)


def kinds_in(type_: Any) -> frozenset[str]:
    """The kinds of what a caller may pass in an argument of a type, and of what lies in that."""
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


def own_kinds(value: graphs.Value) -> set[str]:
    """The kind of a value itself, beside those of what lies in it."""
    return {str(value.type().kind()), _kind_in_optional(value.type())}


def _decides(kind: str, is_as_passed: bool) -> bool:
    """Whether a branch may go the other way: a number has the truth that it had when it was passed."""
    return kind in (INT, WIDE) or (kind in (BOOL, DEVICE, *CONTAINERS) and not is_as_passed)


def _raises(block: Any) -> bool:
    return any(str(node.kind()) == "prim::RaiseException" for node in block.nodes())


def _is_of_tensors(node: graphs.Node) -> bool:
    return str(node.kind()).startswith("aten::") and any(
        "Tensor" in graphs.spelled(each) for each in (*node.inputs(), *node.outputs())
    )


@functools.cache
def _arguments(schema: str) -> tuple[tuple[str, str], ...]:
    """The names of the arguments of an operator, each with the kind of its type."""
    return tuple((each.name, _kind_in_optional(each.type)) for each in torch._C.parse_schema(schema).arguments)


def _kind_in_optional(type_: Any) -> str:
    return str((type_.getElementType() if is_a(type_, torch.OptionalType) else type_).kind())


def _refuses(node: graphs.Node, offset: int) -> bool:
    """Whether Python takes no fraction there: as a size, a dimension, a number of turns, an index of a list."""
    name = str(node.kind())
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


def _takes_number(node: graphs.Node, offset: int) -> bool:
    """Whether an operator of tensors takes any number there, or makes a tensor of it."""
    arguments = _arguments(str(node.schema()))
    is_number = offset < len(arguments) and arguments[offset][1] == "NumberType"
    return is_number or (offset == 0 and str(node.kind()) in MAKING)


def _alters(node: graphs.Node, offset: int, kind: str) -> bool:
    """Whether a tensor comes out otherwise: of another value, of another dtype, or without a gradient."""
    name = str(node.kind())
    arguments = [argument for argument, _ in _arguments(str(node.schema()))]
    dtype = dict(zip(arguments, node.inputs(), strict=False)).get("dtype") if name in MAKING else None
    if kind in (INT, BOOL, COMPLEX):
        return dtype is None or graphs.constant(dtype) not in WHOLE_DTYPES
    if kind not in (FLOAT, CLASS):
        return False
    if name in MAKING:
        return dtype is None or graphs.kind_of(dtype) == "NoneType"
    return name not in COMPARING and _may_be_tensor(name, _arguments(str(node.schema()))[offset][0])


@functools.cache
def _may_be_tensor(name: str, argument: str) -> bool:
    """Whether another variant of an operator takes a tensor in the place of a number."""
    return any(
        each.name == argument and _kind_in_optional(each.type) == "TensorType"
        for schema in torch._C._jit_get_schemas_for_operator(name)
        for each in schema.arguments
    )


def _made(node: graphs.Node, offset: int, kind: str, is_as_passed: bool) -> Iterator[tuple[graphs.Value, bool]]:
    """What is made of a value, other than a tensor, and whether that is still what was passed."""
    name, outputs = str(node.kind()), list(node.outputs())
    first = next(iter(node.inputs()))
    is_list = graphs.kind_of(first) in ("ListType", "DictType")
    if name in HOLDING:
        yield from ((each, is_as_passed) for each in outputs if not (kind == STRING and name == "prim::DictConstruct"))
    elif name in OPENING or (name == "aten::__getitem__" and is_list):
        yield from ((each, is_as_passed) for each in outputs if not offset and kind in kinds_in(each.type()))
    elif name in ADDING and is_list:
        yield from ((each, is_as_passed) for each in (first, *outputs) if offset)
    elif name not in COUNTING and not _is_of_tensors(node) and _goes_on(node, offset, kind, is_list):
        yield from ((each, is_as_passed and graphs.kind_of(each) in CONTAINERS) for each in outputs)


def _goes_on(node: graphs.Node, offset: int, kind: str, is_list: bool) -> bool:
    """Whether what differs in an argument of an operator on numbers, texts and lists differs in its result."""
    name = str(node.kind())
    if kind == CLASS:
        is_whole = all(graphs.kind_of(each) in (INT, FLOAT) for each in node.inputs())
        others = [each for index, each in enumerate(node.inputs()) if index != offset]
        return name in TEXT or (name in WHOLE and is_whole and all(graphs.kind_of(each) == INT for each in others))
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
