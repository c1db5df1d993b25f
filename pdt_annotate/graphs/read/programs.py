"""A compiled program as one graph: its calls are inlined here, so that every node keeps its module and its lines.

They are attributes of the node, which survive the passes that simplify a graph; Python cannot read what torch's own
inlining keeps. A program that is frozen keeps its parameters and buffers by name; `torch.jit.freeze` makes them
constants, and merges equal ones: here only their dtypes, shapes, devices and the like are constants.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from pdt_annotate.graphs.node_names import below
from pdt_annotate.verify.traps.graph_facts import nodes_of

# Attributes of a node: the path of the module that runs it, the source ranges of the calls that led there, and a number
# that nodes in a row share if both are equal.
MODULE, CALLED, RUN = "pdt_module", "pdt_called", "pdt_run"
CALLS = ("prim::CallMethod", "prim::CallFunction")
_C: Any = torch._C
ROUNDS = 8
KNOWN: dict[str, Callable[[torch.Tensor], Any]] = {  # constant properties of a tensor
    "aten::dim": lambda tensor: tensor.dim(),
    "aten::is_floating_point": lambda tensor: tensor.is_floating_point(),
    "aten::size": lambda tensor: list(tensor.size()),
    "prim::device": lambda tensor: tensor.device,
    "prim::dtype": lambda tensor: tensor.dtype,
    "prim::is_nested": lambda tensor: tensor.is_nested,
    "prim::requires_grad": lambda tensor: False,
}


def module_of(node: Any) -> str:
    return str(node.s(MODULE)) if node.hasAttribute(MODULE) else ""


def calls_of(node: Any) -> list[str]:
    """The source ranges of the calls that led to a node, outermost first."""
    return list(node.ss(CALLED)) if node.hasAttribute(CALLED) else []


def follow_calls(graph: Any, of_module: bool) -> None:
    """Replace every call by the body of its callee, and note the origin of every node. Changes the graph."""
    _follow(graph, graph, "", [], {next(graph.inputs()).unique(): ""} if of_module else {}, [])
    _C._jit_pass_inline(graph)  # calls of methods that are known at run time alone, or of another compilation unit
    _C._jit_pass_dce(graph)


def _follow(
    graph: Any, block: Any, module: str, calls: list[str], paths: dict[int, str], runs: list[tuple[str, list[str]]]
) -> None:
    for node in list(block.nodes()):
        for inner in node.blocks():
            _follow(graph, inner, module, calls, paths, runs)
        given, found = list(node.inputs()), None
        is_method = node.kind() == "prim::CallMethod"
        if node.kind() in CALLS:
            method = f".{node.s('name')}" if is_method else ""
            found = torch.jit._state._python_cu.find_function(f"{given[0].type()}{method}")
        if found is None:
            if not node.hasAttribute(MODULE):
                node.s_(MODULE, module)
                node.ss_(CALLED, calls)
                # Nodes of one origin with others between them stay apart: freezing joins nodes with equal attributes.
                runs += [(module, calls)] if runs[-1:] != [(module, calls)] else []
                node.i_(RUN, len(runs))
            holder = paths.get(given[0].unique()) if node.kind() == "prim::GetAttr" else None
            if holder is not None:
                paths[node.output().unique()] = below(holder, node.s("name"))
            continue
        callee = found.graph.copy()
        inside = paths.get(given[0].unique(), module) if is_method else module
        given = given if is_method else given[1:]
        pairs = zip(callee.inputs(), given, strict=True)
        passed = {into.unique(): paths[value.unique()] for into, value in pairs if value.unique() in paths}
        _follow(callee, callee, inside, [*calls, node.sourceRange()], passed, runs)
        graph.setInsertPoint(node)
        for old, new in zip(node.outputs(), graph.insertGraph(callee, given), strict=True):
            old.replaceAllUsesWith(new)
            if not old.debugName().isdigit():
                new.setDebugName(old.debugName())
        graph.setInsertPoint(graph.return_node())
        node.destroy()


def frozen(module: Any, method: str = "forward") -> Any:
    """A frozen copy of a compiled module in eval mode, as torch's own object. Raises a RuntimeError if torch cannot."""
    kept = _C._freeze_module(module, [method][method == "forward" :], True, True)
    graph = kept._get_method(method).graph
    simplify(graph)
    for _ in range(ROUNDS):
        held = {next(graph.inputs()).unique(): kept}
        questions: list[tuple[Any, torch.Tensor]] = []
        for node in nodes_of(graph):
            first = next(node.inputs(), None)
            source = held.get(first.unique()) if first is not None else None
            if node.kind() == "prim::GetAttr" and source is not None and source.hasattr(node.s("name")):
                held[node.output().unique()] = source.getattr(node.s("name"))
            elif node.kind() in KNOWN and node.inputsSize() == 1 and isinstance(source, torch.Tensor):
                questions.append((node, source))
        for node, tensor in questions:
            graph.setInsertPoint(node)
            node.output().replaceAllUsesWith(graph.insertConstant(KNOWN[node.kind()](tensor)))
            graph.setInsertPoint(graph.return_node())
            node.destroy()
        if not questions:
            break
        simplify(graph)
    return kept


def simplify(graph: Any) -> None:
    """Drop the code that constants decide."""
    _C._jit_pass_constant_propagation(graph)
    _C._jit_pass_optimize_frozen_graph(graph, False)
    _C._jit_pass_peephole(graph)
    _C._jit_pass_constant_propagation(graph)
    _C._jit_pass_dce(graph)


@dataclass(frozen=True)
class CompiledProgram:
    """A compiled program as torch has it, its calls followed; `run` is called as the target is."""

    graph: Any
    schema: Any
    run: Callable[..., Any]  # called as the target is
    # The compiled module, None for a function; a copy runs, which shares parameters but no lists of them.
    module: Any = None


def program_of(compiled: Any, method: str = "forward", freeze: bool = False) -> CompiledProgram:
    """A script or trace as one graph; it does not change. Raises a RuntimeError if torch cannot freeze it."""
    if not isinstance(compiled, torch.nn.Module):
        graph = compiled.graph.copy()
        follow_calls(graph, of_module=False)
        if freeze:
            simplify(graph)
        return CompiledProgram(graph, compiled.schema, _C._create_function_from_graph("forward", graph))
    module = _C._hack_do_not_use_clone_module_with_class(compiled._c, [], [])
    schema = module._get_method(method).schema
    follow_calls(module._get_method(method).graph, of_module=True)
    module = frozen(module, method) if freeze else module
    run = getattr(torch.jit._recursive.wrap_cpp_module(module), method)
    return CompiledProgram(module._get_method(method).graph, schema, run, compiled._c)
