"""How a function's body uses a name: what the source says of a type beyond its examples."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from pdt_annotate.ir import NONE, TENSOR, Owner, TypeExpr
from pdt_annotate.survey import Definition, Function, literal_type, read_survey

MAKERS = frozenset(("list", "dict", "tolist"))
REDUCERS = frozenset(("len", "sum", "any", "all", "enumerate", "sorted", "reversed", "list", "zip"))

LIBRARIES = frozenset(("torch", "F", "nn", "np", "numpy", "math", "cmath"))
FOREIGN = LIBRARIES | {"isinstance", "print", "range", "int", "float", "str", "super"}

STR_METHODS = frozenset(("lower", "upper", "strip", "split", "startswith", "endswith", "join", "replace"))
DICT_METHODS = frozenset(("items", "keys", "values", "get"))
LIST_METHODS = frozenset(("append", "extend", "insert", "pop"))
TENSOR_INDICES = (NONE, TypeExpr("ellipsis"))
TENSOR_ATTRIBUTES = {"shape", "size", "dim", "ndim", "device", "dtype", "view", "to", "numel", "sum", "mean", "unbind"}
TENSOR_ATTRIBUTES |= {"permute", "transpose", "unsqueeze", "squeeze", "flatten", "reshape", "expand", "contiguous"}
TENSOR_ATTRIBUTES |= {"new_zeros", "new_ones", "new_full", "new_empty", "masked_fill", "softmax", "matmul", "type_as"}
TENSOR_ATTRIBUTES |= {"detach", "clone", "chunk", "float", "item"}


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


def infer_from_uses(function: Definition, name: str, depth: int = 3) -> TypeExpr | None:
    """The type that the uses of a name speak for: `for t in name: t["boxes"]` says List[Dict[str, Tensor]].

    None where they say nothing, or speak for a Tensor.
    """
    if is_used_as_tensor(function, name):
        return None
    uses = list(_uses(function, name))
    if any(_is_dict_use(node, parent) for node, parent in uses):
        return TypeExpr("dict", (TypeExpr("str"), TENSOR))
    if _is_used_as_device(function, name):
        return TypeExpr("torch.device")
    for node, parent in uses:
        said = _scalar_type_from_use(node, parent)
        if said is not None:
            return said
    elements = list(element_names(function, name))
    if elements and depth:
        found = next((t for e in elements if (t := infer_from_uses(function, e, depth - 1))), None)
        return TypeExpr("list", (found or TENSOR,))
    if any(_is_list_use(node, parent) for node, parent in uses):
        return TypeExpr("list", (TENSOR,))
    return None


def is_used_as_tensor(function: Definition, name: str) -> bool:
    """Whether an attribute or method is taken of the name that only a Tensor has, or an index of several dimensions."""
    return any(_is_tensor_use(node, parent) for node, parent in _uses(function, name))


def _is_tensor_use(node: ast.Name, parent: ast.AST) -> bool:
    if isinstance(parent, ast.Subscript) and parent.value is node and isinstance(parent.slice, ast.Tuple):
        return any(isinstance(part, ast.Slice) or literal_type(part) in TENSOR_INDICES for part in parent.slice.elts)
    return isinstance(parent, ast.Attribute) and parent.attr in TENSOR_ATTRIBUTES


def _is_used_as_device(function: Definition, name: str) -> bool:
    """Whether the name's `type` is compared with a string: `device.type == "cuda"`."""
    return any(
        isinstance(side, ast.Attribute)
        and side.attr == "type"
        and isinstance(side.value, ast.Name)
        and side.value.id == name
        for node in ast.walk(function)
        if isinstance(node, ast.Compare)
        for side in (node.left, *node.comparators)
    )


def _is_dict_use(node: ast.Name, parent: ast.AST) -> bool:
    if isinstance(parent, ast.Attribute):
        return parent.attr in DICT_METHODS
    if isinstance(parent, ast.Subscript) and parent.value is node:
        return literal_type(parent.slice) == TypeExpr("str") or isinstance(parent.slice, ast.JoinedStr)
    if isinstance(parent, ast.Compare) and node in parent.comparators:
        return isinstance(parent.ops[0], (ast.In, ast.NotIn)) and literal_type(parent.left) == TypeExpr("str")
    return False


def _is_list_use(node: ast.Name, parent: ast.AST) -> bool:
    return isinstance(parent, ast.Attribute) and parent.value is node and parent.attr in LIST_METHODS


def element_names(function: Definition, name: str) -> Iterator[str]:
    """The loop variables that run over the elements of a name, also inside `enumerate` and `zip`."""
    for node in ast.walk(function):
        if isinstance(node, (ast.For, ast.comprehension)):
            yield from _bound_to_elements(node.target, node.iter, name)


def _bound_to_elements(target: ast.expr, iterated: ast.expr, name: str) -> Iterator[str]:
    if isinstance(iterated, ast.Name) and iterated.id == name and isinstance(target, ast.Name):
        yield target.id
    if not (isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and isinstance(target, ast.Tuple)):
        return
    if iterated.func.id == "enumerate" and len(target.elts) == 2 and iterated.args:
        yield from _bound_to_elements(target.elts[1], iterated.args[0], name)
    if iterated.func.id == "zip" and len(iterated.args) == len(target.elts):
        for part, arg in zip(target.elts, iterated.args, strict=True):
            yield from _bound_to_elements(part, arg, name)


def _scalar_type_from_use(node: ast.Name, parent: ast.AST) -> TypeExpr | None:
    if isinstance(parent, ast.Compare):
        return _type_from_comparison(node, parent)
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name) and parent.func.id == "range":
        return TypeExpr("int")
    if isinstance(parent, (ast.If, ast.IfExp, ast.While)) and parent.test is node:
        return TypeExpr("bool")
    if isinstance(parent, ast.BoolOp) or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not)):
        return TypeExpr("bool")
    if isinstance(parent, ast.Attribute) and parent.value is node and parent.attr in STR_METHODS:
        return TypeExpr("str")
    return None


def _type_from_comparison(node: ast.Name, comparison: ast.Compare) -> TypeExpr | None:
    """The type of a literal that a name is compared with; a number is no sign, for a Tensor compares with it too."""
    others = [side for side in (comparison.left, *comparison.comparators) if side is not node]
    for other in others:
        values = other.elts if isinstance(other, (ast.Tuple, ast.List, ast.Set)) else [other]
        for value in values:
            type_ = literal_type(value)
            if type_ is not None and type_.name in ("str", "bool"):
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


def wanted_locals(owner: Owner) -> Iterator[tuple[str, int]]:
    """The locals to read: those whose type the source leaves open, and at line 0 those that are passed on."""
    found = read_survey(owner.file)
    function = found.function(owner) if found is not None else None
    if function is not None:
        yield from open_locals(function.node)
        yield from ((name, 0) for name in passed_locals(function.node))


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


def tested_classes(function: Definition, name: str) -> set[str]:
    """The classes for which a function asks with isinstance whether the name is one of them."""
    return {
        part.id
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and called_name(node) == "isinstance" and len(node.args) == 2
        if isinstance(node.args[0], ast.Name) and node.args[0].id == name
        for part in ast.walk(node.args[1])
        if isinstance(part, ast.Name)
    }


def called_name(node: ast.Call) -> str:
    """The last name of what is called."""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def passed_argument(call: ast.Call, function: Function, name: str) -> ast.expr | None:
    """The expression that a call passes for a parameter of a function; None where it leaves the default."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    order = [p.name for p in function.parameters]
    index = order.index(name) if name in order else len(order)
    if index < len(call.args) and not any(isinstance(arg, ast.Starred) for arg in call.args):
        return call.args[index]
    return None


def passed_locals(function: Definition) -> Iterator[str]:
    """The names that a function assigns and passes to functions other than torch's: what is called sees their types."""
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    passed = {
        argument.id
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and root_name(node.func) not in {"", *FOREIGN, *REDUCERS}
        for argument in (*node.args, *(keyword.value for keyword in node.keywords))
        if isinstance(argument, ast.Name)
    }
    yield from sorted(stored & passed)


def root_name(node: ast.expr) -> str:
    """The name that a chain of attributes begins with; "" where it begins with something else."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_known_not_none(function: Definition, name: ast.Name) -> bool:
    """Whether a test around a use of a name rules None out: `if x is not None:`, or the else of `if x is None:`."""
    return any(_rules_none_out(node, name) for node in ast.walk(function))


def _rules_none_out(node: ast.AST, name: ast.Name) -> bool:
    if isinstance(node, ast.Assert):
        return node.lineno < name.lineno and _tests_none(node.test, name.id, ast.IsNot)
    if not isinstance(node, (ast.If, ast.IfExp)):
        return False
    if _tests_none(node.test, name.id, ast.Is):
        before = node.lineno < name.lineno and not _holds(node.body, name)
        return _holds(node.orelse, name) or (before and (_leaves(node.body) or _assigns(node.body, name.id)))
    return _tests_none(node.test, name.id, ast.IsNot) and _holds(node.body, name)


def _tests_none(test: ast.expr, name: str, operator: type[ast.cmpop]) -> bool:
    """Whether a test, or a part of it that must hold with it, compares the name with None by this operator."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) and operator is ast.IsNot:
        return any(_tests_none(part, name, operator) for part in test.values)
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and test.left.id == name
        and isinstance(test.ops[0], operator)
        and literal_type(test.comparators[0]) == NONE
    )


def _holds(body: list[ast.stmt] | ast.expr, node: ast.AST) -> bool:
    return any(inner is node for part in (body if isinstance(body, list) else [body]) for inner in ast.walk(part))


def _assigns(body: list[ast.stmt] | ast.expr, name: str) -> bool:
    """Whether a branch gives the name a value, which is not None then."""
    assignments = [part for part in body if isinstance(part, ast.Assign)] if isinstance(body, list) else []
    targets = (target for assignment in assignments for target in assignment.targets)
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def tests_for_none(function: Definition, name: str) -> bool:
    """Whether a function asks if a name is None."""
    return any(
        isinstance(node, ast.expr) and (_tests_none(node, name, ast.Is) or _tests_none(node, name, ast.IsNot))
        for node in ast.walk(function)
    )


def _leaves(body: list[ast.stmt] | ast.expr) -> bool:
    return isinstance(body, list) and isinstance(body[-1], (ast.Raise, ast.Return, ast.Continue))
