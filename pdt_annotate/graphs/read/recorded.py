"""Graphs of `torch.fx`, from symbolic tracing, `torch.compile`, `torch.export` and `make_fx`, read."""

import inspect
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
import torch.fx
from torch.fx.graph import magic_methods

from pdt_annotate.graphs.read.plain_nodes import MakeCall, dtype_name, literal, place_of
from pdt_annotate.graphs.read.roles import Shapes
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion, GraphValue

SPACES = {"torch.nn.functional": "F", "torch._C._nn": "F", "torch.functional": "torch", "_operator": "operator"}
LIFTED = re.compile(r"L_(self|fn)_(?P<path>(modules_|parameters_|buffers_).*)")
# Dynamo's names for the parameters that it passes in: "L_self_modules_stem_parameters_weight_".
HELD = re.compile(r"(?<![^_])(modules|parameters|buffers)_")
UNPACKED = "prim::TupleConstruct"
BRACES = str.maketrans({"{": "{{", "}": "}}", "\0": "{", "\1": "}"})  # of text to be formatted, and of its inputs


def read_recorded(graphs: Sequence[Any], root: str, state: Mapping[str, torch.Tensor], call: MakeCall) -> Graph:
    """One graph; of several, a region for each, in the order in which they were captured."""
    ids = itertools.count()
    values: dict[str, GraphValue] = {}
    nodes = []
    for number, graph in enumerate(graphs):
        around = GraphNode(next(ids), "fx::graph") if len(graphs) > 1 else None
        prefix = f"{number}." if around else ""
        reader = _Reader(graph, root, state, ids, prefix)
        body = reader.read_body()
        shapes = _shapes(graph, call)
        for name, value in reader.values.items():
            known = shapes.get(name.removeprefix(prefix)) if not value.constant else None
            values[name] = replace(value, shape=known[0], dtype=known[1]) if known else value
        if around is None:
            return Graph("", "", body, values, defaults=reader.defaults)
        nodes.append(replace(around, regions=(replace(body, name=f"graph {number}"),)))
    return Graph("", "", GraphRegion("body", tuple(nodes)), values)


@dataclass
class _Reader:
    graph: Any
    root: str
    state: Mapping[str, torch.Tensor]
    ids: Iterator[int]
    prefix: str
    values: dict[str, GraphValue] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)

    def read_body(self) -> GraphRegion:
        lifted = {path.replace(".", "_"): path for path in self.state}
        inputs: list[str] = []
        nodes: list[GraphNode] = []
        outputs: tuple[str, ...] = ()
        for node in self.graph.nodes:
            if node.op == "placeholder":
                # Dynamo passes parameters in, with names made of their paths.
                found = LIFTED.fullmatch(str(node.target))
                path = lifted.get(HELD.sub("", found["path"]).strip("_")) if found else None
                name = self._add(node, path=path or "")
                if not path:
                    inputs.append(name)
                if node.args and not path:
                    self.defaults[name] = literal(node.args[0])
            elif node.op == "get_attr":
                name = str(node.target)
                held = self.graph.owning_module
                for part in name.split("."):
                    held = getattr(held, part, None)
                if name not in self.state:
                    name = next((each for each, tensor in self.state.items() if tensor is held), name)
                self._add(node, path=name, constant="" if name in self.state else literal(held))
            elif node.op == "output":
                outputs = self._outputs(node, nodes)
            elif not (node.op == "call_module" and str(node.target) == "_guards_fn"):
                nodes.append(self._node(node))
        return GraphRegion("body", tuple(nodes), tuple(inputs), outputs)

    def _outputs(self, node: Any, nodes: list[GraphNode]) -> tuple[str, ...]:
        ended = node.args[0]
        spec = getattr(getattr(self.graph._codegen, "pytree_info", None), "out_spec", None)
        while isinstance(ended, (tuple, list)) and len(ended) == 1 and spec is not None and spec.is_leaf():
            (ended,) = ended
        if isinstance(ended, torch.fx.Node):
            return (self.prefix + ended.name,)
        passed = _Passed(self)
        python = passed.said(ended)
        name = f"{self.prefix}output"
        self.values[name] = GraphValue(name, "Tuple")
        nodes.append(GraphNode(next(self.ids), UNPACKED, tuple(passed.inputs), (), (name,), python=python))
        return (name,)

    def _node(self, node: Any) -> GraphNode:
        passed = _Passed(self)
        # Positional arguments have names if the operator has a schema.
        schema = getattr(node.target, "_schema", None)
        known = [argument.name for argument in schema.arguments] if schema is not None else []
        known += [""] * len(node.args)
        given = [passed.top(each, name) for each, name in zip(node.args, known, strict=False)]
        given += [f"{name}={passed.top(each, name)}" for name, each in node.kwargs.items()]
        frames = (node.meta.get("stack_trace") or node.stack_trace or "").splitlines()
        place = place_of(reversed(frames), self.root)  # the innermost comes last
        module = str(node.target)
        if node.op != "call_module":
            # The path of the innermost module that the node is in, as the ways of capturing spell it.
            stack = node.meta.get("nn_module_stack") or {}
            module = str([*stack.values()][-1][0]) if stack else ""
            module = re.sub(r"^L\['self'\]\.?|^L__self__\.?", "", module)
            module = re.sub(r"_modules\['([^']*)'\]|\['?([^'\]]*)'?\]", r".\1\2", module)
            module = re.sub(r"\.+", ".", module).strip(".")
        kind = _kind(node)
        self._add(node)
        inputs, names, outputs = tuple(passed.inputs), tuple(passed.names), (self.prefix + node.name,)
        return GraphNode(next(self.ids), kind, inputs, names, outputs, place, module, _spell(node, given))

    def _add(self, node: Any, **known: Any) -> str:
        name: str = self.prefix + node.name
        value = node.meta.get("val", node.meta.get("example_value"))
        kind = "Tensor" if value is None or isinstance(value, torch.Tensor) else type(value).__name__
        plain = {"SymInt": "int", "SymBool": "bool", "SymFloat": "float"}
        self.values[name] = GraphValue(name, plain.get(kind, kind), **known)
        return name


@dataclass
class _Passed:
    """The arguments of a node: nodes among them become its inputs, in order, at any depth."""

    reader: _Reader
    inputs: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)

    def top(self, argument: Any, name: str) -> str:
        """An argument itself: a constant is an input as well."""
        begun = len(self.inputs)
        said = self.said(argument)
        if len(self.inputs) == begun and said:
            constant = f"{self.reader.prefix}constant {len(self.reader.values)}"
            self.reader.values[constant] = GraphValue(constant, type(argument).__name__, constant=literal(argument))
            said = self._input(constant).translate(BRACES)
        self.names += [name] * (len(self.inputs) - begun)
        return said

    def said(self, argument: Any) -> str:
        def of_node(node: Any) -> str:
            return self._input(self.reader.prefix + node.name) if isinstance(node, torch.fx.Node) else ""

        return literal(argument, of_node).translate(BRACES)

    def _input(self, name: str) -> str:
        self.inputs.append(name)
        return f"\0{len(self.inputs) - 1}\1"


def _kind(node: Any) -> str:
    if node.op == "call_method":
        return f"Tensor::{node.target}"
    if node.op == "call_module":
        cls = type(node.graph.owning_module.get_submodule(node.target))
        return f"{'nn' if cls.__module__.startswith('torch.nn.') else cls.__module__}::{cls.__qualname__}"
    if isinstance(node.target, torch._ops.OpOverload):
        return str(node.target._schema.name)
    module = str(getattr(node.target, "__module__", None) or "torch")
    name = getattr(node.target, "__name__", str(node.target))
    return f"{SPACES.get(module, 'torch' if module.startswith('torch') else module)}::{name}"


def _spell(node: Any, given: list[str]) -> str:
    if node.op == "call_module" or not all(given):
        return ""
    listed = ", ".join(given)
    if node.op == "call_method":
        return f"{given[0]}.{node.target}({', '.join(given[1:])})"
    name = getattr(node.target, "__name__", "")
    if isinstance(node.target, torch._ops.OpOverload):
        return f"torch.ops.{str(node.target).replace('::', '.')}({listed})"
    if getattr(node.target, "__module__", "") == "_operator":
        if name == "getitem":
            return f"{given[0]}[{given[1]}]"
        template = magic_methods.get(name.strip("_")) or magic_methods.get(name)
        return str(template).replace("{}", "%s") % tuple(given) if template else ""
    qualified = torch.fx.graph._get_qualified_name(node.target) if callable(node.target) else ""
    if qualified == "builtins.getattr":
        return f"getattr({listed})"
    qualified = re.sub(r"^torch\.(nn\.functional|_C\._nn)\.", "F.", qualified)
    return f"{qualified}({listed})" if qualified.startswith(("torch.", "F.", "math.")) else ""


def _shapes(graph: Any, call: MakeCall) -> Shapes:
    """The shapes that the graph keeps of the call that it was captured from; if it has none, those of a run."""
    known = {node.name: node.meta.get("val", node.meta.get("example_value")) for node in graph.nodes}
    found: Shapes = {}
    for name, value in known.items():
        if isinstance(value, torch.Tensor):
            # Of a size that is free, the one that it had when the program was captured.
            sizes = (size if isinstance(size, int) else int(size.node.hint or 0) for size in value.shape)
            found[name] = (tuple(sizes), dtype_name(value))
    if not found and graph.owning_module is not None:
        runner = _Runner(graph.owning_module)
        call(runner.take)
        return runner.shapes
    return found


class _Runner(torch.fx.Interpreter):
    def __init__(self, module: Any) -> None:
        super().__init__(module)
        self.shapes: Shapes = {}

    def take(self, *args: Any, **kwargs: Any) -> Any:
        bound = inspect.signature(self.module.forward).bind(*args, **kwargs)
        bound.apply_defaults()
        return self.run(*bound.args)

    def run_node(self, n: Any) -> Any:
        result = super().run_node(n)
        if isinstance(result, torch.Tensor):
            self.shapes[n.name] = (tuple(result.shape), dtype_name(result))
        return result
