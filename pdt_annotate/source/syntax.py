"""Facts about a name in single expressions and statements of a function."""

import ast
import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard, TypeVar

from pdt_annotate.source.definitions import Definition, Function, Parameter, ParameterKind, literal_type
from pdt_annotate.values.types import NONE

Node = TypeVar("Node", bound=ast.AST)

# The methods that change a list, dict or set in place.
CHANGING = frozenset(
    ["append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse", "update", "setdefault", "popitem"]
)


def plain_assignments(function: Definition) -> list[tuple[str, ast.Assign]]:
    """The assignments to one local name, in source order; only these can carry an annotation."""
    single = (node for node in ast.walk(function) if isinstance(node, ast.Assign) and len(node.targets) == 1)
    found = [(node.targets[0].id, node) for node in single if isinstance(node.targets[0], ast.Name)]
    return sorted(found, key=lambda each: each[1].lineno)


def assignments(function: Definition, name: str) -> list[ast.Assign]:
    return [node for bound, node in plain_assignments(function) if bound == name]


def nodes_in(tree: ast.AST, kind: type[Node]) -> Iterator[Node]:
    """The nodes of a class in a tree, in the order of `ast.walk`."""
    return (node for node in ast.walk(tree) if isinstance(node, kind))


def is_name(node: ast.AST, name: str) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and node.id == name


def tested_classes(function: Definition, name: str) -> set[str]:
    """The classes that a function tests the name for with isinstance."""
    asked = (node.args[1] for node in ast.walk(function) if asks_class(node, name))
    return {part.id for classes in asked for part in ast.walk(classes) if isinstance(part, ast.Name)}


def asks_class(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    return is_call_of(node, "isinstance") and len(node.args) == 2 and is_name(node.args[0], name)


def choices(node: ast.expr) -> Iterator[ast.expr]:
    """The possible results of an expression: the branches of a conditional one, otherwise the expression itself."""
    if isinstance(node, ast.IfExp):
        yield from choices(node.body)
        yield from choices(node.orelse)
    else:
        yield node


def called_name(node: ast.Call) -> str:
    return last_name(node.func)


def is_call_of(node: ast.AST, name: str) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and called_name(node) == name


def conditions(node: ast.AST) -> list[ast.expr]:
    """The parts of a node that are tested for truth."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return [node.test]
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return [node.operand]
    return node.values if isinstance(node, ast.BoolOp) else []


def last_name(node: ast.expr) -> str:
    """The name that a chain of attributes ends with; "" for anything else."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def last_names(tree: ast.AST) -> set[str]:
    """The last names of the names and attributes in a tree."""
    return {last_name(node) for node in nodes_in(tree, ast.expr)} - {""}


def dotted_name(node: ast.expr) -> str:
    """`a.b.c` as text; "" for anything else."""
    if isinstance(node, ast.Attribute):
        base = dotted_name(node.value)
        return f"{base}.{node.attr}" if base else ""
    return node.id if isinstance(node, ast.Name) else ""


@functools.lru_cache(maxsize=256)
def parents(tree: ast.AST) -> Mapping[ast.AST, ast.AST]:
    """The parent of each node in a tree, in the order in which `ast.walk` meets them."""
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def statement_at(tree: ast.AST, line: int) -> ast.stmt | None:
    """The innermost statement inside that has a line, the last of several."""
    inside = (node for node in ast.walk(tree) if isinstance(node, ast.stmt))
    around = (node for node in inside if node.lineno <= line <= (node.end_lineno or node.lineno))
    return max(around, key=lambda node: (node.lineno, -(node.end_lineno or 0), node.col_offset), default=None)


def numbered(name: str, first: int = 1) -> Iterator[str]:
    """The name, then the name with a number, from the first on."""
    yield name
    yield from (f"{name}_{number}" for number in itertools.count(first))


def passed_argument(call: ast.Call, function: Function, name: str) -> ast.expr | None:
    """The expression that a call passes for a parameter of a function; None if it leaves the default."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    order = [p.name for p in function.parameters]
    index = order.index(name) if name in order else len(order)
    if index < len(call.args) and not any(isinstance(arg, ast.Starred) for arg in call.args):
        return call.args[index]
    return None


def bind_arguments(call: ast.Call, parameters: Sequence[Parameter]) -> dict[str, ast.expr] | None:
    """The arguments of a call by parameter, in their order; None if they don't fit, or their number is unknown."""
    if len(call.args) + len(call.keywords) > len(parameters) or any(isinstance(a, ast.Starred) for a in call.args):
        return None
    by_position = [p.name for p in parameters if p.kind in (ParameterKind.POSITIONAL_ONLY, ParameterKind.PLAIN)]
    by_name = {p.name for p in parameters if p.kind in (ParameterKind.PLAIN, ParameterKind.KEYWORD_ONLY)}
    if len(call.args) > len(by_position):
        return None
    bound = dict(zip(by_position, call.args, strict=False))
    for keyword in call.keywords:
        if keyword.arg is None or keyword.arg not in by_name or keyword.arg in bound:
            return None
        bound[keyword.arg] = keyword.value
    return {p.name: bound[p.name] for p in parameters if p.name in bound}


def all_arguments(call: ast.Call, parameters: Sequence[Parameter]) -> dict[str, ast.expr] | None:
    """The arguments of a call by parameter, with defaults; None if they don't fit, or if one is missing."""
    bound = bind_arguments(call, parameters)
    values = {} if bound is None else {p.name: bound.get(p.name, p.value) for p in parameters}
    known = {name: value for name, value in values.items() if value is not None}
    return known if bound is not None and len(known) == len(values) else None


def root_name(node: ast.expr) -> str:
    """The name that a chain of attributes begins with; "" if it begins with something else."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_known_not_none(function: Definition, name: ast.Name) -> bool:
    """Whether a test around a use of a name excludes None: `if x is not None:`, or the else of `if x is None:`."""
    return any(_rules_none_out(node, name, function) for node in _tests_in(function))


@functools.lru_cache(maxsize=1024)
def _tests_in(function: Definition) -> tuple[ast.AST, ...]:
    return tuple(node for node in ast.walk(function) if isinstance(node, (ast.Assert, ast.If, ast.IfExp)))


def _rules_none_out(node: ast.AST, name: ast.Name, function: Definition) -> bool:
    if isinstance(node, ast.Assert):
        return _tests_none(node.test, name.id, ast.IsNot) and _comes_before(node, name, function)
    if not isinstance(node, (ast.If, ast.IfExp)):
        return False
    if _tests_none(node.test, name.id, ast.Is):
        body = node.body if isinstance(node.body, list) else []
        leaves = body and isinstance(body[-1], (ast.Raise, ast.Return, ast.Continue))
        targets = [target for part in body if isinstance(part, ast.Assign) for target in part.targets]
        # A name that a branch assigns to is not None afterwards.
        is_assigned = any(is_name(target, name.id) for target in targets)
        return _holds(node.orelse, name) or (bool(leaves or is_assigned) and _comes_before(node, name, function))
    return _tests_none(node.test, name.id, ast.IsNot) and _holds(node.body, name)


def _comes_before(node: ast.AST, name: ast.Name, function: Definition) -> bool:
    """Whether a statement has run when the scripted model comes to a name. In a loop before it, it may not have run."""
    around = (getattr(outer, arm, None) for outer in ast.walk(function) for arm in ("body", "orelse"))
    arms = [arm for arm in around if isinstance(arm, list)]
    tests = (each for arm in arms for each in arm if isinstance(each, ast.If) and is_call_of(each.test, "is_scripting"))
    same = (node, *(each for each in tests if node in each.body))
    return any(_holds(arm[arm.index(each) + 1 :], name) for each in same for arm in arms if each in arm)


def _tests_none(test: ast.expr, name: str, operator: type[ast.cmpop]) -> bool:
    """Whether a test, or a part of it that must hold with it, compares the name with None by this operator."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and operator is ast.IsNot:
        return any(_tests_none(part, name, operator) for part in test.values)
    return (
        isinstance(test, ast.Compare)
        and is_name(test.left, name)
        and isinstance(test.ops[0], operator)
        and literal_type(test.comparators[0]) == NONE
    )


def _holds(body: list[ast.stmt] | ast.expr, node: ast.AST) -> bool:
    return any(inner is node for part in (body if isinstance(body, list) else [body]) for inner in ast.walk(part))


def tests_for_none(function: Definition, name: str) -> bool:
    tests = [node for node in ast.walk(function) if isinstance(node, ast.Compare)]
    return any(_tests_none(test, name, operator) for test in tests for operator in (ast.Is, ast.IsNot))
