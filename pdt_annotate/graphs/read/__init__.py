"""Torch's graphs, read; only a child imports this."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

__all__ = ["operators_of"]


def operators_of(graph: Any) -> Iterator[str]:
    """The operators of a `torch._C.Graph` or a `torch.fx.Graph`, one for each node that computes something."""
    if isinstance(graph, torch.fx.Graph):
        return (str(node.target) for node in graph.nodes if node.op.startswith("call_"))
    return _kinds(graph)


def _kinds(block: Any) -> Iterator[str]:
    for node in block.nodes():
        if not node.kind().startswith(("prim::Constant", "prim::GetAttr")):
            yield node.kind()
        for inner in node.blocks():
            yield from _kinds(inner)
