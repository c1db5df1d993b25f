"""A compiled program, scripted, frozen or traced, read into `values.graphs`."""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch

from pdt_annotate.graphs.node_names import accessed, below
from pdt_annotate.graphs.read.operator_templates import UNKNOWN, spell_node
from pdt_annotate.graphs.read.plain_nodes import MakeCall, dtype_name, literal, place_of
from pdt_annotate.graphs.read.programs import CompiledProgram, calls_of, module_of
from pdt_annotate.graphs.read.roles import Roles, enumerated, schema_of, shapes_of
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion, GraphState, GraphValue
from pdt_annotate.values.slots import Place
from pdt_annotate.verify.traps.graph_facts import is_constant, nodes_of

REGIONS = {"prim::If": ("then", "else"), "prim::Loop": ("loop",)}
# The output is the input; only its type is better known.
SAME = ("prim::unchecked_cast", "prim::unchecked_unwrap_optional")
CONTAINERS = ("prim::ListConstruct", "prim::TupleConstruct")
_C: Any = torch._C


def read_program(program: CompiledProgram, root: str, state: Mapping[str, torch.Tensor], call: MakeCall) -> Graph:
    """A program, with the shapes of one call; its state are the attributes that it sets. Changes torch's graph."""
    reader = _Reader(program, root, state)
    body = reader.read_body()
    values = dict(reader.values)
    for name, (shape, dtype) in shapes_of(program.graph, lambda: call(program.run)).items():
        if name in values:
            values[name] = replace(values[name], shape=shape, dtype=dtype)
    return Graph("", "", body, values, state=tuple(reader.attributes.values()), defaults=reader.defaults)


class _Reader:
    def __init__(self, program: CompiledProgram, root: str, state: Mapping[str, torch.Tensor]) -> None:
        self.program, self.root, self.state = program, root, state
        self.values: dict[str, GraphValue] = {}
        self.names: dict[int, str] = {}
        self.held: dict[int, tuple[str, Any]] = {}
        self.defaults: dict[str, str] = {}
        self.attributes: dict[str, GraphState] = {}
        graph = program.graph
        self.roles = Roles(graph)
        self.ids = itertools.count()
        self.paths = {_storage(tensor): path for path, tensor in reversed([*state.items()])}
        if program.module is not None:
            self.held[next(graph.inputs()).unique()] = ("", program.module)
        self.set = {node.s("name") for node in nodes_of(graph) if node.kind() == "prim::SetAttr"}

    def read_body(self) -> GraphRegion:
        graph = self.program.graph
        inputs = list(graph.inputs())[self.program.module is not None :]
        arguments = list(self.program.schema.arguments)[self.program.module is not None :]
        for value, argument in zip(inputs, arguments, strict=True):
            name = self._add(value)
            if argument.has_default_value():
                self.defaults[name] = literal(argument.default_value)
        return self._region("body", graph, tuple(self.names[value.unique()] for value in inputs))

    def _region(self, name: str, block: Any, inputs: tuple[str, ...] | None = None) -> GraphRegion:
        if inputs is None:
            inputs = tuple(self._add(value) for value in block.inputs())
        nodes = tuple(read for node in block.nodes() if (read := self._node(node)) is not None)
        # A branch returns the outputs of its node; a loop also, and first whether to go on.
        roles = [self.roles.of(value) for value in block.owningNode().outputs()] if name != "body" else []
        roles = ["", *roles] if name == "loop" else roles
        ends = zip(block.outputs(), itertools.chain(roles, itertools.repeat("")), strict=False)
        outputs = tuple(self._use(value, role) for value, role in ends)
        return GraphRegion(name, nodes, inputs, outputs)

    def _node(self, node: Any) -> GraphNode | None:
        kind = node.kind()
        if kind in SAME:
            self.names[node.output().unique()] = self._input(node, 0)
            return None
        if kind == "prim::Constant":
            self._constant(node.output())
            return None
        if kind in CONTAINERS and all(map(_is_plain, node.inputs())):
            # A list of constants, which nobody changes, is a constant itself.
            uses = [(schema_of(use.user.schema()), use.offset) for use in node.output().uses()]
            known = [schema.arguments[at : at + 1] if schema else [] for schema, at in uses]
            if all(each and not each[0].alias_info for each in known):
                held = [value.toIValue() for value in node.inputs()]
                self._add(node.output(), constant=literal(held if kind == "prim::ListConstruct" else tuple(held)))
                return None
        if kind in ("prim::GetAttr", "prim::SetAttr") and (holder := self.held.get(next(node.inputs()).unique())):
            return self._attribute(node, *holder)
        number = next(self.ids)
        names = tuple(self._input(node, index) for index in range(node.inputsSize()))
        regions = tuple(map(self._region, REGIONS.get(kind, itertools.repeat("region")), node.blocks()))
        outputs = tuple(self._add(value) for value in node.outputs())
        schema = schema_of(node.schema())
        arguments = tuple(argument.name for argument in schema.arguments) if schema is not None else ()
        module, python = module_of(node), self._spell(node)
        return GraphNode(number, kind, names, arguments, outputs, self._place(node), module, python, regions)

    def _place(self, node: Any, steps: int = 3) -> Place:
        """The place of a node; if torch knows no line of it, as for a list, the place that uses its result."""
        calls = calls_of(node)
        if not steps or place_of([node.sourceRange()], self.root).file:
            return place_of((node.sourceRange(), *reversed(calls)), self.root)
        near = [use.user for value in node.outputs() for use in value.uses() if use.user.kind() != "prim::Return"]
        near += [value.node() for value in node.inputs() if value.node().kind() not in ("prim::Param", "prim::GetAttr")]
        return self._place(near[0], steps - 1) if near else place_of(reversed(calls), self.root)

    def _spell(self, node: Any) -> str:
        inputs = list(node.inputs())
        types = [value.type().annotation_str for value in inputs]
        given = [value.toIValue() if _is_plain(value) else UNKNOWN for value in inputs]
        outputs = list(node.outputs())
        made = outputs[0].type().annotation_str if outputs else ""
        python = spell_node(node.kind(), schema_of(node.schema()), types, given, made)
        # If torch's functions return tuples, those of compiled programs return lists.
        if made.startswith("List[Tensor") and node.kind().startswith("aten::") and python.startswith(("torch.", "F.")):
            only = {use.user.kind() for use in outputs[0].uses()}
            return python if only <= {"prim::ListUnpack", "aten::__getitem__"} else f"list({python})"
        return python

    def _attribute(self, node: Any, path: str, holder: Any) -> GraphNode | None:
        name = node.s("name")
        inner = below(path, name)
        if name in self.set:  # the program changes such an attribute, so it matters when it is read
            inputs = tuple(self._input(node, index) for index in range(1, node.inputsSize()))
            outputs = tuple(self._add(value, path=inner) for value in node.outputs())
            if inner not in self.state:
                self.attributes[inner] = GraphState(inner, (), "", literal(holder.getattr(name)), False, False)
            python = accessed(inner) if outputs else f"{accessed(inner)} = {{0}}"
            place = self._place(node)
            return GraphNode(next(self.ids), node.kind(), inputs, (), outputs, place, module_of(node), python)
        value = holder.getattr(name)
        if node.output().type().kind() == "ClassType":
            self.held[node.output().unique()] = (inner, value)
        self._add(node.output(), **{"path": inner, **self._described(value)})
        return None

    def _constant(self, value: Any) -> None:
        held = value.toIValue() if _is_plain(value) else None
        if isinstance(held, list):
            # Freezing has copied the list; by the name of the copy it is found with the parameters themselves.
            found = self.program.module
            for name in value.debugName().split(".")[1:]:
                found = found.getattr(name) if isinstance(found, _C.ScriptObject) and found.hasattr(name) else None
            held = found if isinstance(found, list) and len(found) == len(held) else held
        self._add(value, **(self._described(held) if _is_plain(value) else {}))

    def _input(self, node: Any, index: int) -> str:
        return self._use(node.inputsAt(index), self.roles.of_use(node, index))

    def _use(self, value: Any, role: str) -> str:
        """The name of a value in one use; a number that means a dtype there has another name."""
        name: str = self.names.get(value.unique(), value.debugName())
        if not (is_constant(value) and role):
            return name
        spelled = enumerated(value.toIValue(), role)
        if spelled == self.values[name].constant:
            return name
        enumeration: str = f"{name} {role}"
        self.values[enumeration] = replace(self.values[name], name=enumeration, constant=spelled)
        return enumeration

    def _described(self, value: Any) -> dict[str, Any]:
        """The known facts of a constant: the path of a tensor of the target, otherwise the literal."""
        if isinstance(value, torch.Tensor):
            known = {"shape": tuple(value.shape), "dtype": dtype_name(value)}
            path = self.paths.get(_storage(value), "")
            return {**known, "path": path} if path else {**known, "constant": literal(value)}
        if isinstance(value, list) and value and all(isinstance(each, torch.Tensor) for each in value):
            facts = map(self._described, value)
            said = [accessed(each["path"]) if "path" in each else each["constant"] for each in facts]
            return {"constant": f"[{', '.join(said)}]" if all(said) else ""}
        return {"constant": literal(value)}

    def _add(self, value: Any, **known: Any) -> str:
        name = value.debugName()
        self.names[value.unique()] = name
        self.values[name] = GraphValue(name, **{"type": value.type().annotation_str, **known})
        return str(name)


def _is_plain(value: Any) -> bool:
    """Whether a value is a constant that Python can have, so no function and no class."""
    return is_constant(value) and value.type().kind() not in ("FunctionType", "ClassType")


def _storage(tensor: torch.Tensor) -> tuple[Any, ...]:
    """The identity of a tensor, the same for all Python objects of it."""
    if tensor.numel() == 0 or tensor.layout is not torch.strided:
        return (id(tensor),)
    return (tensor.device, tensor.data_ptr(), tuple(tensor.shape), tensor.stride(), tensor.dtype)
