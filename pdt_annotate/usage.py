"""How a function's body uses a name: what the source says of a type beyond its examples."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.ir import NONE, TypeExpr
from pdt_annotate.survey import Definition, literal_type

MAKERS = frozenset(("list", "dict", "tolist"))
REDUCERS = frozenset(("len", "sum", "any", "all", "enumerate", "sorted", "reversed", "list"))

ATTRIBUTE_TYPES = {name: TypeExpr("str") for name in ("lower", "upper", "strip", "split", "startswith", "endswith")}


def is_only_iterated(function: Definition, name: str) -> bool:
    """Whether every use of the name goes over all elements, whatever their number: a `for`, a comprehension, `len`."""
    uses = list(_uses(function, name))
    return bool(uses) and all(_is_iteration(node, parent) for node, parent in uses)


def _uses(function: Definition, name: str) -> Iterator[tuple[ast.Name, ast.AST]]:
    for parent in ast.walk(function):
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.Name) and child.id == name:
                yield child, parent


def _is_iteration(node: ast.Name, parent: ast.AST) -> bool:
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is node
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        return parent.func.id in REDUCERS and node in parent.args
    return False


def guess_from_uses(function: Definition, name: str) -> list[TypeExpr]:
    """The types that the uses of a name speak for, in source order: `name == "sum"`, `range(name)`, `if name`."""
    found: dict[TypeExpr, None] = {}
    for node, parent in _uses(function, name):
        type_ = _type_from_use(node, parent)
        if type_ is not None:
            found[type_] = None
    return list(found)


def _type_from_use(node: ast.Name, parent: ast.AST) -> TypeExpr | None:
    if isinstance(parent, ast.Compare):
        return _type_from_comparison(node, parent)
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "range":
        return TypeExpr("int")
    if isinstance(parent, (ast.If, ast.IfExp, ast.While)) and parent.test is node:
        return TypeExpr("bool")
    if isinstance(parent, ast.BoolOp) or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)):
        return TypeExpr("bool")
    if isinstance(parent, ast.Attribute):
        return ATTRIBUTE_TYPES.get(parent.attr)
    return None


def _type_from_comparison(node: ast.Name, comparison: ast.Compare) -> TypeExpr | None:
    others = [side for side in (comparison.left, *comparison.comparators) if side is not node]
    for other in others:
        values = other.elts if isinstance(other, (ast.Tuple, ast.List, ast.Set)) else [other]
        for value in values:
            type_ = literal_type(value)
            if type_ is not None and type_ != NONE:
                return type_
    return None


def assignments(function: Definition, name: str) -> list[ast.Assign]:
    """The plain assignments of a local name, in source order; only these can carry an annotation."""
    found = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and node.targets[0].id == name
    ]
    return sorted(found, key=lambda node: node.lineno)


def first_assignment(function: Definition, name: str) -> ast.Assign | None:
    return next(iter(assignments(function, name)), None)


def open_locals(function: Definition) -> Iterator[tuple[str, int]]:
    """The locals whose first assignment leaves their type open, each with its line."""
    first: dict[str, ast.Assign] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name not in first or node.lineno < first[name].lineno:
                first[name] = node
    return ((name, node.lineno) for name, node in first.items() if is_open(node.value))


def is_open(value: ast.expr) -> bool:
    """Whether an initial value leaves the type of what it will hold open."""
    if isinstance(value, ast.Constant):
        return value.value is None
    if isinstance(value, (ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.Tuple)):
        return True
    if isinstance(value, ast.BinOp):
        return is_open(value.left) or is_open(value.right)
    if isinstance(value, ast.Call):
        function = value.func
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        return name in MAKERS
    return isinstance(value, ast.IfExp) and (is_open(value.body) or is_open(value.orelse))
