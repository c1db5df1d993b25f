"""Which operators stand in a graph, by the names that people know them under."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from pdt_annotate.captures.subject import CountedGraph

SILENT = ("prim::Constant", "prim::GetAttr")
"""Nodes that compute nothing."""


def count_operators(graphs: Iterable[Any]) -> dict[str, int]:
    """By name, how often each operator stands in graphs of any kind, the most frequent first."""
    counts: Counter[str] = Counter()
    for graph in graphs:
        counts.update(_of(graph))
    return dict(counts.most_common())


def _of(graph: Any) -> dict[str, int]:
    if isinstance(graph, CountedGraph):
        return dict(graph.operators)
    return Counter(_of_fx(graph) if isinstance(graph, torch.fx.Graph) else _of_script(graph))


def _of_fx(graph: torch.fx.Graph) -> Iterator[str]:
    for node in graph.nodes:
        if node.op == "call_module":
            yield _module_name(graph.owning_module, str(node.target))
        elif node.op == "call_function":
            yield _function_name(node.target)
        elif node.op == "call_method":
            yield f"Tensor.{node.target}"


def _module_name(owner: Any, path: str) -> str:
    """The class of a module in a graph: "nn.Conv2d", or the user's."""
    cls = type(owner.get_submodule(path)) if owner is not None else None
    if cls is None:
        return path
    return f"nn.{cls.__name__}" if cls.__module__.startswith("torch.nn.") else cls.__qualname__


def _function_name(target: Any) -> str:
    """ "aten.conv2d.default" of an operator; of a function, where people import it from: "torch.relu"."""
    if isinstance(target, torch._ops.OpOverload | torch._ops.OpOverloadPacket):
        return str(target)
    name = getattr(target, "__qualname__", None) or getattr(target, "__name__", None) or str(target)
    module = str(getattr(target, "__module__", None) or "").lstrip("_")
    return f"{_PUBLIC.get(module, module)}.{name.rpartition('.')[2]}".lstrip(".")


_PUBLIC = {
    "torch.nn.functional": "F",
    "torch._C._nn": "F",
    "torch._C": "torch",
    "_VariableFunctionsClass": "torch",
    "": "torch",
}


def _of_script(block: Any) -> Iterator[str]:
    for node in block.nodes():
        if not node.kind().startswith(SILENT):
            yield node.kind()
        for inner in node.blocks():
            yield from _of_script(inner)
