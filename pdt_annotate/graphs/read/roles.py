"""Known facts about the values of a compiled program.

Which numbers mean dtypes and layouts: they are plain `int` there, but not in Python. And the shapes and dtypes of one
call: the program itself runs, with a node after each tensor that records it.
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch

from pdt_annotate.graphs.read.plain_nodes import dtype_name, literal
from pdt_annotate.verify.traps.graph_facts import PASSING, is_constant, nodes_of
from pdt_annotate.verify.traps.value_flow import passed_on

SEEDS = {"prim::dtype": "ScalarType", "prim::layout": "Layout"}
ENUMERATED = ("ScalarType", "Layout", "MemoryFormat")
# Operators whose inputs and outputs all mean one kind of thing, or are bools.
LIKE = {f"aten::{name}" for name in ("eq", "ne", "__is__", "__isnot__", "__contains__")} | PASSING
LIKE |= {"prim::ListConstruct"}
MEMORY_FORMATS = ("torch.contiguous_format", "torch.preserve_format", "torch.channels_last", "torch.channels_last_3d")
Shapes = dict[str, tuple[tuple[int, ...], str]]  # by the name of a value, its shape and its dtype
SEEN = "pdt_annotate::seen"
_seen: dict[int, tuple[tuple[int, ...], str]] = {}


class Roles:
    """The meanings of numbers, by value: values that flow into each other, or are compared, mean the same."""

    def __init__(self, graph: Any) -> None:
        self._parents: dict[int, int] = {}
        for node in nodes_of(graph):
            for group in _alike(node):
                roots = [self._root(value.unique()) for value in group if not is_constant(value)]
                self._parents.update((root, roots[0]) for root in roots[1:])
        self._known: dict[int, str] = {}
        for node in nodes_of(graph):
            meant = [(node.output(), SEEDS[node.kind()])] if node.kind() in SEEDS else []
            meant += [(value, _asked_for(node, index)) for index, value in enumerate(node.inputs())]
            self._known.update((self._root(v.unique()), role) for v, role in meant if role and not is_constant(v))

    def of_use(self, node: Any, index: int) -> str:
        """The meaning of an input of a node; "" if it is a plain number."""
        role = _asked_for(node, index)
        if role or node.kind() not in LIKE:
            return role
        return next(filter(None, (self.of(value) for value in (*node.inputs(), *node.outputs()))), "")

    def of(self, value: Any) -> str:
        return self._known.get(self._root(value.unique()), "")

    def _root(self, unique: int) -> int:
        while (parent := self._parents.get(unique, unique)) != unique:
            unique = parent
        return unique


@functools.lru_cache(maxsize=4096)
def schema_of(text: str) -> Any:
    """The schema of an operator, by its text in a node; None if it has no schema."""
    return None if text == "(no schema)" else torch._C.parse_schema(text)


def _asked_for(node: Any, index: int) -> str:
    schema = schema_of(node.schema())
    if schema is None or index >= len(schema.arguments):
        return ""
    wanted = str(schema.arguments[index].real_type)
    return next((role for role in ENUMERATED if wanted in (role, f"Optional[{role}]")), "")


def _alike(node: Any) -> Iterator[Sequence[Any]]:
    yield from passed_on(node)
    if node.kind() == "prim::Loop":
        (block,) = node.blocks()
        yield from zip(node.outputs(), list(block.inputs())[1:], strict=True)
    if node.kind() in LIKE:
        yield [value for value in (*node.inputs(), *node.outputs()) if value.type().kind() != "BoolType"]


def enumerated(value: Any, role: str) -> str:
    """The Python text of a number of a compiled program, which by its role may mean a dtype, for example."""
    if isinstance(value, list):
        return f"[{', '.join(enumerated(each, role) for each in value)}]"
    if isinstance(value, int) and role in numbers():
        return numbers()[role].get(value, literal(value))
    return literal(value)


@functools.cache
def numbers() -> dict[str, dict[int, str]]:
    graph: Any = torch._C.Graph()
    tables: dict[str, dict[int, str]] = {"MemoryFormat": dict(enumerate(MEMORY_FORMATS))}
    for role, kind in (("ScalarType", torch.dtype), ("Layout", torch.layout)):
        known = (value for value in vars(torch).values() if isinstance(value, kind))
        tables[role] = {graph.insertConstant(each).toIValue(): str(each) for each in known}
    return tables


def shapes_of(graph: Any, run: Callable[[], Any]) -> Shapes:
    """Record the values in a program while `run` calls it; in a loop, the first ones. Changes the graph."""
    _define_operator()
    names = dict(_add_reports(graph))
    _seen.clear()
    with torch.jit.optimized_execution(False):
        run()
    return {names[number]: seen for number, seen in _seen.items()}


def _add_reports(graph: Any) -> Iterator[tuple[int, str]]:
    """Add a call to the graph that reports every tensor, by number."""
    blocks = [graph, *(block for node in nodes_of(graph) for block in node.blocks())]
    made = [(node, value) for node in nodes_of(graph) for value in node.outputs()]
    began = [(block, value) for block in blocks for value in block.inputs()]
    missing = _missing(graph, set())
    pairs = [(where, value) for where, value in (*made, *began) if value.type().kind() == "TensorType"]
    pairs = [(where, value) for where, value in pairs if not is_constant(value) and value.unique() not in missing]
    for number, (where, value) in enumerate(pairs):
        call = graph.create(SEEN, [value], 0)
        if hasattr(where, "kind"):
            call.insertAfter(where)
        else:  # first in a block
            end = graph.return_node() if where is graph else where.returnNode()
            call.insertBefore(next(iter(where.nodes()), end))
        graph.setInsertPoint(call)
        call.addInput(graph.insertConstant(number))
        graph.setInsertPoint(graph.return_node())
        yield number, value.debugName()


def _missing(block: Any, missing: set[int]) -> set[int]:
    """The values that may not exist, for example because a function has returned already; added to those known."""
    for node in block.nodes():
        if node.kind() == "prim::Uninitialized":
            missing.add(node.output().unique())
        for inner in node.blocks():
            _missing(inner, missing)
            ends = list(inner.outputs())[-node.outputsSize() :] if node.outputsSize() else []
            missing |= {out.unique() for out, end in zip(node.outputs(), ends, strict=True) if end.unique() in missing}
    return missing


@functools.cache
def _define_operator() -> Any:
    library = torch.library.Library("pdt_annotate", "FRAGMENT")
    # Torch drops operators that return nothing, unless it cannot know their effects.
    library.define("seen(Tensor value, int number) -> ()", alias_analysis="CONSERVATIVE")

    def see(value: torch.Tensor | None, number: int) -> None:
        # A tensor that is undefined comes as None, and a nested one has no single shape.
        if number not in _seen and value is not None and not value.is_nested:
            _seen[number] = (tuple(value.shape), dtype_name(value))

    library.impl("seen", see, "CompositeImplicitAutograd")
    return library
