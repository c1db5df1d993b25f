"""A target that compiled, as the rules see it: each function that the compiler read, as source and as graph."""

import ast
import functools
import inspect
import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import CodeType, FunctionType
from typing import Any

import torch

from pdt_annotate.source.definitions import Function
from pdt_annotate.source.module import compiled_function
from pdt_annotate.source.syntax import called_name
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.live import function_of, state_of
from pdt_annotate.values.slots import Owner, Place, column_at
from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify.judges.scripts import Compilation
from pdt_annotate.verify.traps.graph_facts import Node, Value, kind_of, name_of, nodes_of, place_of


@dataclass(frozen=True)
class Compiled:
    """A function that the compiler read: live, as source, and its graphs, one for each type it was compiled for."""

    function: FunctionType
    handed: Any  # the function with its wrappers, as the compiler got it
    graphs: tuple[Any, ...] = ()
    entry: bool = False  # Python calls it itself

    @functools.cached_property
    def definition(self) -> Function | None:
        return compiled_function(Owner.of(self.function.__code__))

    @property
    def tree(self) -> ast.AST:
        """Its definition, with the lines and columns of its file; an empty one if that cannot be read."""
        return self.definition.node if self.definition else ast.Pass()

    @functools.cached_property
    def parts(self) -> tuple[ast.AST, ...]:
        return tuple(ast.walk(self.tree))

    @functools.cached_property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(node for graph in self.graphs for node in nodes_of(graph))

    @functools.cached_property
    def variables(self) -> Mapping[str, list[Value]]:
        blocks = (*self.graphs, *(block for node in self.nodes for block in node.blocks()))
        made = (value for node in self.nodes for value in node.outputs())
        return grouped((name_of(value), value) for value in (*(v for each in blocks for v in each.inputs()), *made))

    @functools.cached_property
    def at(self) -> Mapping[Place, list[Node]]:
        """The nodes of the expressions that begin at a place."""
        return grouped((place_of(node), node) for node in self.nodes)

    def place(self, node: ast.AST) -> Place:
        line, offset = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        file = self.function.__code__.co_filename
        return Place(file, line, column_at(linecache.getline(file, line), offset) if line else 0)

    def kinds_at(self, node: ast.AST) -> frozenset[str]:
        """The kinds of type that an expression may have, as far as the graph shows."""
        return frozenset(map(kind_of, self.values_at(node)))

    def values_at(self, node: ast.AST) -> tuple[Value, ...]:
        """The values that an expression may have; the graph shows none of a folded expression."""
        if isinstance(node, ast.Name):
            return tuple(self.variables.get(node.id, ()))
        return tuple(value for found in self.at.get(self.place(node), ()) for value in found.outputs())

    @functools.cached_property
    def calls(self) -> Mapping[str, list[ast.Call]]:
        """By the name of the called object, which may be an attribute, the calls."""
        return grouped((called_name(part), part) for part in self.parts if isinstance(part, ast.Call))

    def trap(self, code: str, message: str, where: ast.AST | Node, *, doubtful: bool = False) -> Trap:
        place = self.place(where) if isinstance(where, ast.AST) else place_of(where)
        return Trap(code, message, place, Owner.of(self.function.__code__), doubtful)


@dataclass(frozen=True)
class View:
    """A compiled target: its modules, and its user's functions that the compiler read."""

    modules: list[tuple[str, torch.nn.Module, Any]]  # path, live module and compiled module of each
    functions: tuple[Compiled, ...]
    is_ours: Callable[[CodeType], bool] = field(repr=False)

    @functools.cached_property
    def inlined(self) -> tuple[tuple[Compiled, Any], ...]:
        """The functions that Python calls, each with its graph in which all calls are inlined."""
        graphs_of_entries = [(each, graph.copy()) for each in self.functions if each.entry for graph in each.graphs]
        for _, graph in graphs_of_entries:
            torch._C._jit_pass_inline(graph)
        return tuple(graphs_of_entries)

    def overridden(self, cls: type, name: str) -> FunctionType | None:
        """The user's definition of a method that torch's classes may have, too."""
        function = function_of(inspect.getattr_static(cls, name, None))
        return function if function is not None and self.is_ours(function.__code__) else None


def trap_at(function: FunctionType, code: str, message: str) -> Trap:
    """A trap at the definition of a function, which the compiler may not have read."""
    owner = Owner.of(function.__code__)
    definition = compiled_function(owner)
    line, column = (definition.node.lineno, definition.node.col_offset + 1) if definition else (owner.line, 0)
    return Trap(code, message, Place(owner.file, line, column), owner)


def look_at(built: Any, compilation: Compilation, is_ours: Callable[[CodeType], bool], entries: set[str]) -> View:
    """The view of a compilation; `entries` are the methods that the target's callers call."""
    found = dict(zip(compilation.functions, compilation.handed, strict=True))
    modules: list[tuple[str, torch.nn.Module, Any]] = []
    outer: set[FunctionType | None] = {function_of(built)}
    if isinstance(built, torch.nn.Module):
        compiled = dict(compilation.scripted.named_modules())
        natives = ((path, each, getattr(compiled.get(path), "_c", None)) for path, each in built.named_modules())
        modules = [(path, each, native) for path, each, native in natives if native is not None]
        methods = ((name, inspect.getattr_static(type(built), name, None)) for name in dir(type(built)))
        export = torch._jit_internal.FunctionModifiers.EXPORT
        exported = {name for name, method in methods if state_of(method).get("_torchscript_modifier") is export}
        outer = {method_of(built, name) for name in entries | exported}
    by_function: dict[FunctionType, dict[int, Any]] = {}
    for function, graph in _graphs_of(modules):
        by_function.setdefault(function, {})[id(graph)] = graph
    wanted = ((f, handed) for f, handed in found.items() if is_ours(f.__code__))
    read = (Compiled(f, handed, tuple(by_function.get(f, {}).values()), f in outer) for f, handed in wanted)
    return View(modules, tuple(read), is_ours)


def _graphs_of(modules: Iterable[tuple[str, torch.nn.Module, Any]]) -> Iterator[tuple[FunctionType, Any]]:
    """The graphs of all methods, one for each type that they were compiled for, and of all functions."""
    met: set[tuple[str, str]] = set()
    for _, module, native in modules:
        for name in native._method_names():
            method = method_of(module, name)
            if method is not None and (key := (str(native._type()), name)) not in met:
                met.add(key)
                yield method, native._get_method(name).graph
    for function, name in list(torch.jit._state._jit_caching_layer.items()):
        found: Any = torch.jit._state._python_cu.find_function(name)
        inner = function_of(function)
        if found is not None and inner is not None:
            yield inner, found.graph


def method_of(module: torch.nn.Module, name: str) -> FunctionType | None:
    """The function that the compiler reads for a method: the instance's own `forward`, else that of the class."""
    own = state_of(module).get(name) if name == "forward" else None
    return function_of(own if own is not None else inspect.getattr_static(type(module), name, None))
