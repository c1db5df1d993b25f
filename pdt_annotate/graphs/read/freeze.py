"""What `torch.jit.freeze` leaves of a program, with its parameters and buffers kept by name.

Torch turns them into constants, and what is alike into one constant; then nobody can say any more which was which. Here
only what is asked about them is: their dtypes, shapes, devices, and whether they require grad (frozen ones do not).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from pdt_annotate.graphs.read.inline import nodes_of

ROUNDS = 8

_C: Any = torch._C

KNOWN: dict[str, Callable[[torch.Tensor], Any]] = {
    "aten::dim": lambda tensor: tensor.dim(),
    "aten::is_floating_point": lambda tensor: tensor.is_floating_point(),
    "aten::size": lambda tensor: list(tensor.size()),
    "prim::device": lambda tensor: tensor.device,
    "prim::dtype": lambda tensor: tensor.dtype,
    "prim::is_nested": lambda tensor: tensor.is_nested,
    "prim::requires_grad": lambda tensor: False,
}
"""What is asked of a tensor and never changes."""


def frozen(module: Any, method: str = "forward") -> Any:
    """A frozen copy of a compiled module in eval mode, both as torch's own objects.

    Raises:
        RuntimeError: torch cannot freeze it.
    """
    kept = _C._freeze_module(module, [method][method == "forward" :], True, True)
    graph = kept._get_method(method).graph
    simplify(graph)
    for _ in range(ROUNDS):
        if not _fold_known(graph, kept):
            break
        simplify(graph)
    return kept


def simplify(graph: Any) -> None:
    """Drop what constants decide."""
    _C._jit_pass_constant_propagation(graph)
    _C._jit_pass_optimize_frozen_graph(graph, False)
    _C._jit_pass_peephole(graph)
    _C._jit_pass_constant_propagation(graph)
    _C._jit_pass_dce(graph)


def _fold_known(graph: Any, module: Any) -> bool:
    folded = False
    for node, tensor in _questions(graph, module):
        graph.setInsertPoint(node)
        node.output().replaceAllUsesWith(graph.insertConstant(KNOWN[node.kind()](tensor)))
        graph.setInsertPoint(graph.return_node())
        node.destroy()
        folded = True
    return folded


def _questions(graph: Any, module: Any) -> Iterator[tuple[Any, torch.Tensor]]:
    """The nodes that ask something known of a tensor of the module."""
    held = {next(graph.inputs()).unique(): module}
    for node in list(nodes_of(graph)):
        first = next(node.inputs(), None)
        source = held.get(first.unique()) if first is not None else None
        if node.kind() == "prim::GetAttr" and source is not None and source.hasattr(node.s("name")):
            held[node.output().unique()] = source.getattr(node.s("name"))
        elif node.kind() in KNOWN and node.inputsSize() == 1 and isinstance(source, torch.Tensor):
            yield node, source
