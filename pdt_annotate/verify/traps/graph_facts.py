"""Facts about the nodes of a compiled graph: operator, types, places, and the source of a value."""

from collections.abc import Iterator
from typing import Any

from pdt_annotate.findings.messages.said import read_places
from pdt_annotate.values.slots import NO_PLACE, Place

Node = Any  # a `torch._C.Node`; torch's stubs know half of its methods
Value = Any  # a `torch._C.Value`
Graph = Any  # a `torch._C.Graph`

# Operators that return their input, under another type.
PASSING = {"prim::unchecked_cast", "prim::unchecked_unwrap_optional", "aten::_unwrap_optional"}


def nodes_of(block: Any) -> Iterator[Node]:
    """The nodes of a graph or block in order, each before the nodes of its own blocks."""
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from nodes_of(inner)


def operator(node: Node) -> str:
    """The operator of a node, "aten::len.t"; its kind, "prim::If", if that has no schema.

    >>> operator(torch.jit.script(torch.nn.ReLU()).graph.findNode("prim::Constant"))
    'prim::Constant'
    """
    schema = str(node.schema()) if node.kind().startswith("aten::") else ""
    return schema.partition("(")[0] or str(node.kind())


def place_of(node: Node) -> Place:
    """The place in the source at which the expression of a node begins."""
    return next(read_places(node.sourceRange()), NO_PLACE)


def kind_of(value: Value) -> str:
    """The kind of a value's type: "IntType", "ListType", "OptionalType"."""
    return str(value.type().kind())


def element_kind(value: Value) -> str:
    """The kind of a list's elements; "" if the value is no list."""
    return str(value.type().getElementType().kind()) if kind_of(value) == "ListType" else ""


def name_of(value: Value) -> str:
    """The variable that a value was in the source; "" for one without a name.

    >>> [name_of(each) for each in torch.jit.script(torch.nn.ReLU()).graph.inputs()]
    ['self', 'input']
    """
    name, _, number = str(value.debugName()).rpartition(".")
    return name if number.isdigit() and name else "" if number.isdigit() else number


def constant(value: Value) -> object:
    """The value of a constant; None for any other value."""
    return value.toIValue() if is_constant(value) else None


def is_constant(value: Value) -> bool:
    return str(value.node().kind()) == "prim::Constant"


def source_of(value: Value) -> Value:
    """The value that another is under a refined type."""
    while value.node().kind() in PASSING:
        value = next(iter(value.node().inputs()))
    return value
