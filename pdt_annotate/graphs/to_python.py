"""A graph as Python source: a module whose `forward` computes the same as the captured program.

It has the parameters and buffers of the target under their own paths, so `load_state_dict` takes those of the original.
"""

import builtins
import itertools
import keyword
import re
from collections import Counter
from collections.abc import Iterator

from pdt_annotate.graphs.node_names import accessed, below, parent_of
from pdt_annotate.source.syntax import numbered
from pdt_annotate.values.errors import UserError
from pdt_annotate.values.graphs import Graph, GraphNode, GraphRegion

INDENT = "    "
FOREVER = str(2**63 - 1)  # the most turns of a `while`, in the compiler's form
LIBRARY = ("itertools", "math", "warnings")
TAKEN = frozenset({*keyword.kwlist, *dir(builtins), *LIBRARY, "self", "torch", "nn", "F"})
# Statements of Python; in a compiled program some return the value that they change.
MUTATORS = ("aten::append", "aten::extend", "aten::insert", "aten::_set_item", "aten::clear", "aten::reverse")
IDENTITY = ("aten::__is__", "aten::__isnot__")
DECIDED = ("False", "True")
# Written in the one use of their result: they read no value that could change in between.
INLINE = (*IDENTITY, "aten::__not__", "prim::ListConstruct", "prim::TupleConstruct")
# Types of results that are written in their one use, if that is the next operation.
PLAIN = ("bool", "int", "float", "number", "str", "Device", "Optional[int]")
UNPACKED = ("prim::ListUnpack", "prim::TupleUnpack")
TAKES_ALL = ("aten::Bool", "aten::Int", "aten::Float", *UNPACKED)
"""Operators that make plain values of tensors, or unpack a value into names."""

OTHER_WAY = "try another way of capturing, such as --of trace, whose graph may not have this operation"
LONGEST = 80  # characters of an expression inside another


def to_python(graph: Graph) -> str:
    """Source that runs on torch alone. Raises UserError if Python cannot express one of the operations."""
    lines = list(_Writer(graph).class_lines())
    used = "\n".join(lines)
    imports = [f"import {name}" for name in LIBRARY if re.search(rf"\b{name}\.", used)]
    imports += [*[""][: len(imports)], "import torch"]
    imports += ["import torch.nn.functional as F"] if re.search(r"\bF\.", used) else []
    imports += ["from torch import nn"]
    about = f'"""{graph.target}, from its graph as captured in the way "{graph.of}"."""'
    return "\n".join([about, "", *imports, "", "", *lines, ""])


def class_name(graph: Graph) -> str:
    known = graph.modules.get("", "") or graph.target
    name = re.split(r"[.:]", known)[-1]
    return name if name.isidentifier() and name not in TAKEN else "Program"


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.names: dict[str, str] = {}
        self.inlined: dict[str, str] = {}
        self.loose: set[str] = set()
        self.taken = set(TAKEN)
        self.module = ""
        # Every use of every value; one that changes it counts twice, so that the value gets a name.
        self.uses = Counter(graph.body.outputs)
        for node in graph.walk():
            self.uses.update(node.uses)
            self.uses.update(node.inputs[: node.kind in MUTATORS])
        self.state = _State(graph)
        self.saved = {each.path for each in graph.state}

    def class_lines(self) -> Iterator[str]:
        graph = self.graph
        yield f"class {class_name(graph)}(nn.Module):"
        if state := list(self.state.lines()):
            yield f"{INDENT}def __init__(self) -> None:"
            yield f"{2 * INDENT}super().__init__()"
            yield from (2 * INDENT + line for line in state)
            yield ""
        defaults = {name: f"={default}" for name, default in graph.defaults.items() if default}
        parameters = (self._name(name, name) + defaults.get(name, "") for name in graph.body.inputs)
        yield f"{INDENT}def forward({', '.join(('self', *parameters))}):"
        yield from (2 * INDENT + line for line in self._region_lines(graph.body))
        yield f"{2 * INDENT}return {', '.join(map(self._alone, graph.body.outputs))}"

    def _region_lines(self, region: GraphRegion) -> Iterator[str]:
        for node, following in itertools.zip_longest(region.nodes, region.nodes[1:]):
            lines = list(self._node_lines(node, following))
            if lines and node.module != self.module:
                self.module = node.module
                yield f"# {node.module or 'the module itself'}"
            yield from lines

    def _node_lines(self, node: GraphNode, following: GraphNode | None) -> Iterator[str]:
        if node.kind == "prim::If":
            yield from self._if_lines(node)
            return
        if node.kind == "prim::Loop":
            yield from self._loop_lines(node)
            return
        if not node.python:
            raise UserError(f"to_python: {node.kind} cannot be written in Python", place=node.place, hint=OTHER_WAY)
        # An expression that already has brackets around it needs no others.
        given = (
            self._alone(name) if re.search(rf"[(\[]\{{{index}\}}[)\]]", node.python) else self._said(name)
            for index, name in enumerate(node.inputs)
        )
        said = node.python.format(*given)
        constants = {self.graph.values[name].constant for name in node.inputs}
        if node.kind in IDENTITY and all(constants):
            said = DECIDED[(len(constants) == 1) == (node.kind == IDENTITY[0])]
        if node.kind in MUTATORS or not node.outputs:
            yield said
            self.inlined.update((name, self._said(node.inputs[0])) for name in node.outputs)
        elif node.kind == "prim::Uninitialized":
            self.inlined[node.outputs[0]] = said
        elif self._is_inline(node, said, following):
            self.inlined[node.outputs[0]] = said
            if " " in node.python and node.python[-1] not in ")]":
                self.loose.add(node.outputs[0])
        else:
            named = [self._name(name, node.kind) for name in node.outputs]
            yield f"{', '.join(named)}{',' * (node.kind in UNPACKED and len(named) == 1)} = {said}"

    def _is_inline(self, node: GraphNode, said: str, following: GraphNode | None) -> bool:
        name = node.outputs[0]
        if self.uses[name] != 1:
            return False
        if node.kind in INLINE or said in DECIDED:
            return True
        if following is None or len(node.outputs) > 1 or len(said) > LONGEST or following.kind == "prim::Print":
            return False
        takes = following.inputs[:1] if following.kind == "prim::Loop" else following.inputs
        plain = self.graph.values[name].type in PLAIN or following.kind in TAKES_ALL
        return plain and name in takes

    def _if_lines(self, node: GraphNode) -> Iterator[str]:
        condition = self._said(node.inputs[0])
        if condition in DECIDED:
            region = node.regions[condition == "False"]
            yield from self._region_lines(region)
            for name, ended in zip(node.outputs, region.outputs, strict=True):
                self.inlined[name] = self._said(ended)
            return
        named = [self._name(name, name) for name in node.outputs]
        then, otherwise = (self._branch(region, named) for region in node.regions)
        if then:
            yield f"if {self._alone(node.inputs[0])}:"
            yield from then
            outer = [line.removeprefix(INDENT) for line in otherwise]
            nested = all(line.startswith((INDENT, "else:", "elif ")) for line in outer[1:])
            if outer and outer[0].startswith("if ") and nested:  # an `else` that holds only an `if`
                yield f"el{outer[0]}"
                yield from outer[1:]
            elif otherwise:
                yield "else:"
                yield from otherwise
        elif otherwise:
            yield f"if not {condition}:"
            yield from otherwise

    def _branch(self, region: GraphRegion, named: list[str]) -> list[str]:
        module = self.module
        made = {name for node in region.nodes for name in node.outputs}
        for ended, name in zip(region.outputs, named, strict=True):
            if ended in made and self.uses[ended] == 1:
                self.names[ended] = name
        lines = list(self._region_lines(region))
        if not lines or not lines[-1].startswith("raise "):
            lines += self._assign(named, list(map(self._alone, region.outputs)))
        self.module = module
        return [INDENT + line for line in lines]

    def _loop_lines(self, node: GraphNode) -> Iterator[str]:
        """Inputs: the most turns, whether to begin, and carried values. The region begins with a count and the carried
        values, and ends with whether to go on and the carried values."""
        (region,) = node.regions
        most, begin, *carried = map(self._alone, node.inputs)
        named = [self._name(name, name) for name in node.outputs]
        yield from self._assign(named, carried)
        for inner, name in zip(region.inputs[1:], named, strict=True):
            self.inlined[inner] = name
        count = self._name(region.inputs[0], "i")
        always = begin == "True" == self.graph.values[region.outputs[0]].constant
        go_on = "" if always else self._fresh("go_on")
        module = self.module
        body = list(self._region_lines(region))
        body += self._assign([*[go_on][: bool(go_on)], *named], list(map(self._alone, region.outputs))[not go_on :])
        self.module = module
        if go_on:
            yield f"{go_on} = {begin}"
        counts = any(re.search(rf"\b{count}\b", line) for line in body)
        if most == FOREVER and not counts:
            yield f"while {go_on or 'True'}:"
        else:
            yield f"for {count} in {'itertools.count()' if most == FOREVER else f'range({most})'}:"
            if go_on:
                yield f"{INDENT}if not {go_on}:"
                yield f"{2 * INDENT}break"
        yield from (INDENT + line for line in body or ["pass"])

    def _assign(self, named: list[str], said: list[str]) -> list[str]:
        pairs = [(name, value) for name, value in zip(named, said, strict=True) if name != value]
        return [f"{', '.join(name for name, _ in pairs)} = {', '.join(value for _, value in pairs)}"] if pairs else []

    def _said(self, name: str) -> str:
        return f"({self.inlined[name]})" if name in self.loose else self._alone(name)

    def _alone(self, name: str) -> str:
        """The text of a value without an operator next to it."""
        if name in self.inlined:
            return self.inlined[name]
        if name in self.names:
            return self.names[name]
        value = self.graph.values[name]
        if value.path in self.saved:
            return accessed(value.path, self.state.lists)
        if not value.constant:
            raise UserError(f"to_python: the constant {name!r} of type {value.type} does not fit on one line of Python")
        return value.constant

    def _name(self, name: str, otherwise: str) -> str:
        """The variable for a value, with its name from the source if the compiler knows that."""
        if name in self.names:
            return self.names[name]
        base = name.partition(".")[0] if not name[0].isdigit() else otherwise.rpartition(":")[2].lower()
        base = re.sub(r"\W", "_", base).strip("_") or "value"
        self.names[name] = self._fresh(base if not base[0].isdigit() else "value")
        return self.names[name]

    def _fresh(self, base: str) -> str:
        name = next(each for each in numbered(base) if each not in self.taken)
        self.taken.add(name)
        return name


class _State:
    """Modules that hold parameters, buffers and attributes, each under its path; lists if all names are numbers."""

    def __init__(self, graph: Graph) -> None:
        self.state = graph.state
        # The names in each module that hold something, in the order of the state of the target.
        self.children: dict[str, dict[str, None]] = {}
        for each in graph.state:
            path = each.path
            while path := parent_of(path):
                self.children.setdefault(parent_of(path), {})[path.rpartition(".")[2]] = None
        tensors = {parent_of(each.path) for each in graph.state if each.path.rpartition(".")[2].isdigit()}
        numbered = (path for path, names in self.children.items() if all(map(str.isdigit, names)))
        self.lists = {path for path in numbered if path and path not in tensors}

    def lines(self) -> Iterator[str]:
        yield from self._module_lines("")
        for each in self.state:
            shape = ", ".join(map(str, each.shape)) or "()"
            kind = "" if each.dtype == "float32" else f", dtype=torch.{each.dtype}"
            empty = f"torch.empty({shape}{kind})"
            if not each.dtype:
                yield f"{accessed(each.path, self.lists)} = {each.constant}"
            elif each.parameter:
                floating = each.dtype.startswith(("float", "bfloat", "complex"))
                made = f"nn.Parameter({empty}{'' if floating else ', requires_grad=False'})"
                yield self._set(each.path, made, "register_parameter")
            elif each.saved:
                yield self._set(each.path, empty, "register_buffer")
            else:
                yield f"# not in state_dict(){'' if each.constant else ': copy it from the original'}"
                value = each.constant or f"torch.full(({', '.join(map(str, each.shape))},), float('nan'))"
                yield self._set(each.path, f"{value}, persistent=False", "register_buffer")

    def _module_lines(self, path: str) -> Iterator[str]:
        for name in self.children.get(path, ()):
            inner = below(path, name)
            holds = "nn.Module()"
            if inner in self.lists:
                holds = f"nn.ModuleList(nn.Module() for _ in range({1 + max(map(int, self.children[inner]))}))"
            if path not in self.lists or inner in self.lists:
                yield self._set(inner, holds, "add_module")
            yield from self._module_lines(inner)

    def _set(self, path: str, value: str, register: str) -> str:
        name = path.rpartition(".")[2]
        if register == "register_buffer" or not (name.isidentifier() or parent_of(path) in self.lists):
            return f"{accessed(parent_of(path), self.lists)}.{register}({name!r}, {value})"
        return f"{accessed(path, self.lists)} = {value}"
