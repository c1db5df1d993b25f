"""Settled expressions: configuration alone decides their values, so that a constructor can compute them.

They read constants, names of the module and attributes that only the constructor sets, and call functions that answer
the same each time and change nothing.
"""

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, replace

from pdt_annotate.findings.messages.said import NO_METHOD
from pdt_annotate.mends.kit.blocks import COMPREHENSIONS
from pdt_annotate.mends.kit.construction import constructor, family_of, is_field_set, is_set_later, uses
from pdt_annotate.mends.kit.context import TENSORS, FunctionContext
from pdt_annotate.mends.kit.spelled import Expression, is_hidden, only_assignment, spell, stores, strength
from pdt_annotate.source.definitions import Function
from pdt_annotate.source.scopes import defined_in, names_inside
from pdt_annotate.source.syntax import CHANGING, called_name, nodes_in

DEPTH = 3  # of functions that call others
MODE = "training"  # changes without a store in the project
PURE = ("math.", "numpy.")
IMPURE = ("numpy.random.", "numpy.load", "numpy.save")
MAKING = frozenset(
    f"torch.{name}" for name in ("tensor", "as_tensor", "from_numpy", "arange", "linspace", "Tensor", "FloatTensor")
)
"""Functions that make the same tensor each time."""
MACHINE = frozenset(
    f"torch.{name}"
    for name in ("cuda.is_available", "cuda.device_count", "cuda.is_bf16_supported", "backends.mps.is_available")
)
"""Functions that ask for the machine, which stays the same."""
ASKING = {
    *("abs", "bool", "callable", "dict", "divmod", "enumerate", "float", "getattr", "hasattr", "int", "isinstance"),
    *("issubclass", "len", "list", "max", "min", "pow", "range", "reversed", "round", "set", "sorted", "str"),
    *("sum", "tuple", "type", "zip", "any", "all"),
}
METHODS = {
    *("astype", "copy", "count", "endswith", "flatten", "float", "format", "get", "index", "item", "items", "join"),
    *("keys", "long", "lower", "max", "mean", "min", "prod", "ravel", "replace", "reshape", "split", "startswith"),
    *("strip", "sum", "tolist", "transpose", "unsqueeze", "upper", "values", "view"),
}
"""Methods that change nothing, of words, numbers, dicts, arrays and tensors that were just made."""
PARTS = (
    *(ast.JoinedStr, ast.FormattedValue, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Compare, ast.BoolOp, ast.BinOp),
    *(ast.UnaryOp, ast.IfExp, ast.Subscript, ast.Slice, ast.Starred, ast.keyword, ast.Constant, ast.expr_context),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
)
"""Nodes that are settled if their parts are."""
RUNNING = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal, ast.With, ast.Delete, ast.Try)


@dataclass(frozen=True)
class Settled:
    """Whether expressions of a function are settled.

    Args:
        site: the function.
        known: names that stand for settled values: parameters of a called function, variables of comprehensions.
        asked: the attributes for which `hasattr` asks in the expression.
        depth: how deep to follow calls.
    """

    site: FunctionContext
    known: frozenset[str] = frozenset()
    asked: frozenset[str] = frozenset()
    depth: int = DEPTH

    def holds(self, node: ast.AST) -> bool:
        site = self.site
        match node:
            case ast.Name(name):
                return name in self.known or self._is_name(node) or self.value_of(node) is not None
            case ast.Attribute(value, field):
                if name := site.self_attribute(node):
                    return is_kept(site, name) or (name in self.asked and not site.held(name).values)
                if site.meaning(node):
                    return True
                if any(each.type in TENSORS for each in site.values(value)):
                    return is_given(site, node)
                return (self.holds(value) or is_of_library(site, node)) and not is_field_set(site.project, field)
            case ast.Call(args=args, keywords=keywords):
                if name := asked_attribute(site, node):
                    return all(map(self.holds, args[2:])) and not (is_set_later(site, name) or site.held(name).changes)
                return all(map(self.holds, (*args, *keywords))) and self._is_pure_call(node)
        if isinstance(node, COMPREHENSIONS):
            inner = replace(self, known=self.known | names_inside(node))
            return all(map(inner.holds, ast.iter_child_nodes(node)))
        if isinstance(node, ast.comprehension):
            return all(map(self.holds, (node.iter, *node.ifs)))
        return isinstance(node, PARTS) and all(map(self.holds, ast.iter_child_nodes(node)))

    def value_of(self, name: ast.Name) -> ast.expr | None:
        """The settled value of a local that one plain statement binds; None for any other name."""
        setting = only_assignment(self.site, name.id)
        is_settled = setting and setting.lineno < name.lineno and self.holds(setting.value)
        return setting.value if setting and is_settled else None

    def written(self, node: ast.expr) -> str:
        """The text of a settled expression in another function: locals are replaced by what they stand for."""

        def put(part: ast.expr) -> Expression | None:
            if not isinstance(part, ast.Name) or part.id in self.known or is_hidden(self.site, part, [part.id]):
                return None
            value = self.value_of(part)
            return Expression(self.written(value), strength(value)) if value is not None else None

        text = spell(self.site, node, put).text
        return text if "\n" not in text else ast.unparse(ast.parse(text, mode="eval"))

    def _is_name(self, node: ast.Name) -> bool:
        """Whether a name means the same always: a built-in function, an import, or what the module binds once."""
        if node.id in self.site.local_names or node.id == self.site.function.receiver:
            return False
        if node.id in self.site.imports:
            return True
        is_known = node.id in self.site.module.defined or hasattr(builtins, node.id)
        return is_known and len(stores(self.site.module.tree, node.id)) <= 1

    def _is_pure_call(self, call: ast.Call) -> bool:
        meant = self.site.meaning(call.func)
        if meant.startswith("torch.nn."):
            return meant.rpartition(".")[2][:1].isupper()
        if meant.startswith(("numpy.", "math.", "torch.")):
            return (meant.startswith(PURE) or meant in MAKING | MACHINE) and not meant.startswith(IMPURE)
        if isinstance(call.func, ast.Name) and call.func.id in ASKING - self.site.module.qualnames:
            return call.func.id not in self.site.local_names
        defined = self.site.definition(call.func)
        if defined is not None:
            return bool(self.depth) and self._is_pure(defined)
        if makes_layer(self.site, call):
            return self.holds(call.func)
        return isinstance(call.func, ast.Attribute) and call.func.attr in METHODS and self.holds(call.func.value)

    def _is_pure(self, function: Function) -> bool:
        """Whether a function of settled arguments has a settled result, and changes nothing."""
        inner = Settled(self.site.at(function), names_inside(function.node), depth=self.depth - 1)
        raised = {part for node in nodes_in(function.node, ast.Raise) for part in ast.walk(node)}
        nodes = [node for each in function.node.body for node in ast.walk(each) if node not in raised]
        stored = (n for n in nodes if isinstance(n, (ast.Attribute, ast.Subscript)) and isinstance(n.ctx, ast.Store))
        if function.decorators or any(isinstance(node, RUNNING) for node in nodes) or any(stored):
            return False
        parts = {node.value for node in nodes if isinstance(node, ast.Attribute)}
        read = (n for n in nodes if isinstance(n, (ast.Call, ast.Name, ast.Attribute)) and n not in parts)
        return all(inner.holds(node) for node in read if isinstance(getattr(node, "ctx", ast.Load()), ast.Load))


def is_given(site: FunctionContext, node: ast.Attribute) -> bool:
    """Whether an expression reads what the constructor gave a tensor of `self`, as an attribute that no tensor has."""
    name, held = site.self_attribute(node.value), site.held(site.self_attribute(node.value))
    if site.fact(NO_METHOD) != node.attr or not name or held.lacking or held.changes:
        return False
    return not is_set_later(site, name) and not is_field_set(site.project, node.attr)


def is_kept(site: FunctionContext, attribute: str) -> bool:
    """Whether only the constructor sets an attribute of `self`, and nothing changes it in place; not a tensor."""
    held = site.held(attribute)
    is_of_class = site.cls is not None and attribute in defined_in(site.cls.node.body)
    is_tensor = any(value.type in TENSORS for value in held.values)
    if attribute == MODE or is_tensor or held.lacking or held.changes or not (held.values or is_of_class):
        return False
    own = ((f, node) for f, node in uses(site, attribute) if f.in_class == site.function.in_class)
    is_changed = any(f.node.name != "__init__" and _is_changed(site.at(f), node) for f, node in own)
    return not is_changed and not is_set_later(site, attribute)


def is_of_library(site: FunctionContext, node: ast.Attribute) -> bool:
    """Whether `self.hparams.width` reads a parameter of the constructor, which a library keeps."""
    name, built = site.self_attribute(node.value), constructor(site)
    types = {value.type.partition(".")[0] for value in site.values(node.value)}
    is_object = len(types) == 1 and types.isdisjoint(("builtins", "torch"))
    is_parameter = built is not None and built.parameter(node.attr) is not None
    if not (name and site.cls and is_object and is_parameter) or site.held(name).values:
        return False
    is_own = any(name in defined_in(each.node.body) for each in family_of(site, site.cls))
    return not (is_own or is_set_later(site, name) or any(changes_in_place(site, name)))


def changes_in_place(site: FunctionContext, attribute: str) -> Iterator[Function]:
    """The functions of the project that change the list or dict in an attribute of this name, constructors included."""
    return (function for function, node in uses(site, attribute) if _is_changed(site.at(function), node))


def _is_changed(site: FunctionContext, node: ast.Attribute) -> bool:
    """Whether code changes the list, dict or set in an attribute in place."""
    match site.parents.get(node):
        case ast.Subscript(changed, ctx=ast.Store() | ast.Del()) | ast.AugAssign(changed):
            return changed is node
        case ast.Attribute(attr=method) as called:
            around = site.parents.get(called)
            is_called = isinstance(around, ast.Call) and around.func is called
            return is_called and method in (*CHANGING, "add", "discard")
    return False


def makes_layer(site: FunctionContext, call: ast.Call) -> bool:
    """Whether a call makes a module whose answers depend on its inputs and settings alone."""
    values = site.values(call)
    return bool(values) and all(value.stateless for value in values) and called_name(call)[:1] not in ("", "_")


def asked_attribute(site: FunctionContext, call: ast.Call) -> str:
    """The x of `hasattr(self, "x")` and `getattr(self, "x")`; "" for any other call."""
    match call:
        case ast.Call(ast.Name("hasattr" | "getattr"), [ast.Name(asked), ast.Constant(str(name)), *_]):
            return name if asked == site.function.receiver else ""
    return ""


def attributes(site: FunctionContext, node: ast.AST) -> list[str]:
    """The attributes of `self` in an expression."""
    parts = list(ast.walk(node))
    asked = {asked_attribute(site, part) for part in parts if isinstance(part, ast.Call)}
    return sorted({*map(site.self_attribute, parts), *asked} - {""})
