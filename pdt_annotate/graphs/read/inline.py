"""A compiled program as one graph: its calls are followed by hand, for every node to keep who ran it and from where.

Torch's own inlining keeps that where Python cannot read it. Here a node carries a number, which survives the passes
that simplify a graph, and `NodeOrigins` says what it stands for.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from pdt_annotate.graphs.paths import below

LABEL = "pdt_origin"
CALLS = ("prim::CallMethod", "prim::CallFunction")

_jit: Any = torch.jit
_C: Any = torch._C


@dataclass(frozen=True)
class NodeOrigin:
    """Where a node comes from.

    Args:
        module: the path of the module that runs it.
        calls: the source ranges of the calls that led there, the outermost first.
    """

    module: str = ""
    calls: tuple[str, ...] = ()


@dataclass
class NodeOrigins:
    """What the numbers on nodes stand for."""

    known: list[NodeOrigin] = field(default_factory=list)

    def label(self, node: Any, origin: NodeOrigin) -> None:
        if not node.hasAttribute(LABEL):
            if not self.known or self.known[-1] != origin:
                self.known.append(origin)
            node.i_(LABEL, len(self.known) - 1)

    def of(self, node: Any) -> NodeOrigin:
        return self.known[node.i(LABEL)] if node.hasAttribute(LABEL) else NodeOrigin()


def nodes_of(block: Any) -> Iterator[Any]:
    """Every node of a graph or block, those inside regions after the one that holds them."""
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from nodes_of(inner)


def follow_calls(graph: Any, of_module: bool) -> NodeOrigins:
    """Put in place of every call what it calls, and label every node. Changes the graph.

    Args:
        of_module: its first input is the module that it is a method of.
    """
    origins = NodeOrigins()
    paths = {next(graph.inputs()).unique(): ""} if of_module else {}
    _follow(graph, graph, NodeOrigin(), paths, origins)
    _C._jit_pass_inline(graph)  # calls of methods that are known at run time alone, or of another compilation unit
    _C._jit_pass_dce(graph)
    return origins


def _follow(graph: Any, block: Any, origin: NodeOrigin, paths: dict[int, str], origins: NodeOrigins) -> None:
    for node in list(block.nodes()):
        for inner in node.blocks():
            _follow(graph, inner, origin, paths, origins)
        if node.kind() in CALLS and (callee := _callee(node)) is not None:
            _replace(graph, node, callee, origin, paths, origins)
            continue
        origins.label(node, origin)
        holder = paths.get(next(node.inputs()).unique()) if node.kind() == "prim::GetAttr" else None
        if holder is not None:
            paths[node.output().unique()] = below(holder, node.s("name"))


def _callee(call: Any) -> Any:
    """A copy of the graph that a call runs; None where that is not known."""
    name = str(next(call.inputs()).type())
    if call.kind() == "prim::CallMethod":
        name = f"{name}.{call.s('name')}"
    function = _jit._state._python_cu.find_function(name)
    return function.graph.copy() if function is not None else None


def _replace(
    graph: Any, call: Any, callee: Any, origin: NodeOrigin, paths: dict[int, str], origins: NodeOrigins
) -> None:
    given = list(call.inputs())
    module = origin.module
    if call.kind() == "prim::CallMethod":
        module = paths.get(given[0].unique(), module)
    else:
        given = given[1:]
    inner = NodeOrigin(module, (*origin.calls, call.sourceRange()))
    passed = {
        into.unique(): paths[value.unique()]
        for into, value in zip(callee.inputs(), given, strict=True)
        if value.unique() in paths
    }
    _follow(callee, callee, inner, passed, origins)
    graph.setInsertPoint(call)
    for old, new in zip(call.outputs(), graph.insertGraph(callee, given), strict=True):
        old.replaceAllUsesWith(new)
        if not old.debugName().isdigit():
            new.setDebugName(old.debugName())
    graph.setInsertPoint(graph.return_node())
    call.destroy()
