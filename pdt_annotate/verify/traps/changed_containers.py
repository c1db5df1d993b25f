"""Changes of lists and dicts: a caller's, which are copied; shared ones, which become two; in a loop over the list."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import torch

from pdt_annotate.source.syntax import CHANGING
from pdt_annotate.values.groups import grouped
from pdt_annotate.values.live import is_a, state_of
from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify.traps.compiled_view import View
from pdt_annotate.verify.traps.graph_facts import Graph, Node, Value, kind_of, name_of, nodes_of, source_of

ARGUMENT, SHARED, LOOP = "PDT105", "PDT106", "PDT119"
UNSEEN = "so a change of one is not seen in the other; store it in one attribute, and pass it"
FIXED = "TorchScript fixes the number of iterations before the loop, and Python checks it in each one"
CONTAINERS = ("ListType", "DictType")
GIVES_ELEMENT = ("aten::__getitem__", "aten::get", "prim::TupleIndex", "prim::TupleUnpack", "prim::ListUnpack")
# The schema of an operator marks the first argument with an exclamation mark if the operator writes to it.
WRITES = re.compile(r"[\w:.]+\((Dict\([^()]*\)|[^(),]+)\(\w+!")
OF_TORCH = frozenset(vars(torch.nn.Module()))

Path = tuple[str, ...]
Origin = tuple[str, Path]


def find(view: View) -> Iterator[Trap]:
    own = [graph for each in view.functions for graph in each.graphs]
    if not any(True for graph in own for _ in _changed(graph)):
        return
    shared = dict(_shared(view))
    for entry, graph in view.inlined:
        for node, (root, path) in _changed(graph):
            word = "list" if kind_of(node.inputsAt(0)) == "ListType" else "dict"
            if root == "self" and path in shared:
                both = f"`{'.'.join(path)}` and `{'.'.join(shared[path])}`"
                yield entry.trap(SHARED, f"{both} are one {word} in Python and two in TorchScript, {UNSEEN}", node)
            elif root != "self":
                changed = f"Python changes the caller's {word} `{root}`, but TorchScript changes a copy"
                yield entry.trap(ARGUMENT, f"{changed}; return the {word}", node)


def _changed(graph: Graph) -> Iterator[tuple[Node, Origin]]:
    """The nodes that change a list or dict from outside the graph, each with its origin."""
    origins = Origins()
    for node in nodes_of(graph):
        writes = node.kind().startswith("aten::") and WRITES.match(str(node.schema()))
        changed = node.inputsAt(0) if writes else None
        if changed is not None and kind_of(changed) in CONTAINERS:
            yield from ((node, origin) for origin in sorted(origins.of(changed)))


class Origins:
    """The origins of lists and dicts of a graph: the name of an argument, or "self" and the path to an attribute."""

    def __init__(self) -> None:
        self._known: dict[int, frozenset[Origin]] = {}

    def of(self, value: Value) -> frozenset[Origin]:
        value = source_of(value)
        if value.unique() not in self._known:
            self._known[value.unique()] = frozenset()  # the answer inside the loop that leads back here
            self._known[value.unique()] = frozenset(self._find(value, value.node()))
        return self._known[value.unique()]

    def _find(self, value: Value, node: Node) -> Iterator[Origin]:
        kind = node.kind()
        place = [each.unique() for each in node.outputs()].index(value.unique())
        if kind == "prim::Param":
            # In a graph an argument; in the block of a loop a value that the loop carries around
            loop = node.owningBlock().owningNode() if hasattr(node, "owningBlock") else None
            if loop is None:
                yield name_of(value), ()
            elif loop.kind() == "prim::Loop" and place:
                yield from self.of(loop.inputsAt(place + 1))
        elif kind == "prim::GetAttr":
            yield from ((root, (*path, node.s("name"))) for root, path in self.of(node.inputsAt(0)))
        elif kind in GIVES_ELEMENT:
            yield from self.of(node.inputsAt(0))
        elif kind == "prim::If":
            ends = [self.of(list(block.outputs())[place]) for block in node.blocks()]
            # If a branch makes a new one, the others are often for None.
            yield from frozenset().union(*ends) if all(ends) else ()
        elif kind == "prim::Loop":
            yield from self.of(node.inputsAt(place + 2))
            yield from self.of(list(next(iter(node.blocks())).outputs())[place + 1])


def _shared(view: View) -> Iterator[tuple[Path, Path]]:
    """The attributes that hold the same list or dict, each with another that does."""
    states = ((tuple(filter(None, path.split("."))), state_of(module)) for path, module, _ in view.modules)
    held = (((*path, name), value) for path, state in states for name, value in state.items() if name not in OF_TORCH)
    for paths in grouped((id(each), path) for path, value in held for each in _containers(value)).values():
        for one in dict.fromkeys(paths):
            yield from ((one, other) for other in paths[:2] if other != one)


def _containers(value: Any, depth: int = 3) -> Iterator[Any]:
    if is_a(value, list, dict):
        yield value
        if depth:
            for each in list(value.values() if is_a(value, dict) else value)[:100]:
                yield from _containers(each, depth - 1)


LEAVING = (ast.Break, ast.Return, ast.Raise)


def find_in_loops(view: View) -> Iterator[Trap]:
    for function in view.functions:
        for loop in (node for node in function.parts if isinstance(node, ast.For)):
            over = ast.unparse(loop.iter)
            bodies = (getattr(node, arm, None) for node in ast.walk(loop) for arm in ("body", "orelse"))
            # A change does not count in statements that then leave the loop.
            staying = (body for body in bodies if isinstance(body, list) and body and not isinstance(body[-1], LEAVING))
            for statement in (each for body in staying for each in body):
                if over in _changed_in(statement):
                    changed = f"the loop changes the list `{over}` that it runs over: {FIXED}"
                    yield function.trap(LOOP, f"{changed}; loop over a copy: `{over}[:]`", statement)


def _changed_in(statement: ast.stmt) -> set[str]:
    """The lists that a statement makes longer or shorter, as the source writes them."""
    match statement:
        case ast.Delete():
            return {ast.unparse(each.value) for each in statement.targets if isinstance(each, ast.Subscript)}
        case ast.AugAssign(target, ast.Add(), ast.List()):
            return {ast.unparse(target)}
        case ast.Expr(ast.Call(ast.Attribute(changed, name))) if name in CHANGING - {"sort", "reverse", "update"}:
            return {ast.unparse(changed)}
    return set()
