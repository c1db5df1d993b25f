"""The shapes and dtypes of a call: the compiled program itself runs, and tells of every tensor that it makes."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import torch

from pdt_annotate.graphs.read.plain import dtype_name
from pdt_annotate.graphs.read.programs import nodes_of
from pdt_annotate.graphs.read.roles import is_constant

Shapes = dict[str, tuple[tuple[int, ...], str]]
"""By the name of a value, its shape and its dtype."""

SEEN = "pdt_annotate::seen"

_jit: Any = torch.jit
_seen: dict[int, tuple[tuple[int, ...], str]] = {}


def shapes_of(graph: Any, run: Callable[[], Any]) -> Shapes:
    """What flows through a program in one call; of what a loop makes again, the first. Changes the graph.

    Args:
        run: makes the call.
    """
    _define_operator()
    names = dict(_tell(graph))
    _seen.clear()
    with _jit.optimized_execution(False):
        run()
    return {names[number]: seen for number, seen in _seen.items()}


def _tell(graph: Any) -> Iterator[tuple[int, str]]:
    """Have every tensor of a graph told of, under a number."""
    blocks = [graph, *(block for node in nodes_of(graph) for block in node.blocks())]
    made = [(node, value) for node in nodes_of(graph) for value in node.outputs()]
    began = [(block, value) for block in blocks for value in block.inputs()]
    number = 0
    missing = _missing(graph, set())
    for where, value in (*made, *began):
        if value.type().kind() != "TensorType" or is_constant(value) or value.unique() in missing:
            continue
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
        number += 1


def _missing(block: Any, missing: set[int]) -> set[int]:
    """The values that may be none at all, as where a function has returned already; added to those known."""
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
    make: Any = torch.library.Library
    library = make("pdt_annotate", "FRAGMENT")
    # Torch drops operators that return nothing, unless it cannot know what they do.
    library.define("seen(Tensor value, int number) -> ()", alias_analysis="CONSERVATIVE")
    library.impl("seen", _see, "CompositeImplicitAutograd")
    return library


def _see(value: torch.Tensor | None, number: int) -> None:
    """Keep what a tensor is like: one that is undefined comes as None, and a nested one has no single shape."""
    if number not in _seen and value is not None and not value.is_nested:
        _seen[number] = (tuple(value.shape), dtype_name(value))
