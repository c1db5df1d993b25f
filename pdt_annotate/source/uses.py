"""The uses of a name in a body: types that the source shows without examples, and the locals to observe."""

import ast
from collections.abc import Iterator

from pdt_annotate.source.definitions import Definition, literal_type
from pdt_annotate.source.module import load_function
from pdt_annotate.source.read_type import ATTRIBUTES, METHODS, is_tensors_alone
from pdt_annotate.source.syntax import asks_class, called_name, is_name, parents, plain_assignments, root_name
from pdt_annotate.values.slots import Owner
from pdt_annotate.values.types import BOOL, DEVICE, INT, NONE, STR, TENSOR, TypeExpr

MAKERS = frozenset(("list", "dict", "tolist"))
REDUCERS = frozenset(("len", "sum", "any", "all", "enumerate", "sorted", "reversed", "list", "zip"))

LIBRARIES = frozenset(("torch", "F", "nn", "np", "numpy", "math", "cmath"))
FOREIGN = LIBRARIES | {"isinstance", "print", "range", "int", "float", "str", "super"}

STR_METHODS = frozenset(("lower", "upper", "strip", "split", "startswith", "endswith", "join", "replace"))
DICT_METHODS = frozenset(("items", "keys", "values", "get"))
LIST_METHODS = frozenset(("append", "extend", "insert", "pop"))
DICT = TypeExpr("dict", (STR, TENSOR))
TENSOR_INDICES = (NONE, TypeExpr("ellipsis"))


def is_only_iterated(function: Definition, name: str) -> bool:
    """Whether every use of the name iterates over all elements, of any number: a `for`, a comprehension, `len`."""
    uses = [(node, parent) for node, parent in parents(function).items() if is_name(node, name)]
    loops = [node for node, parent in uses if isinstance(parent, ast.For | ast.comprehension) and parent.iter is node]
    calls = [(node, parent) for node, parent in uses if isinstance(parent, ast.Call) and node in parent.args]
    reduced = [node for node, call in calls if isinstance(call.func, ast.Name) and call.func.id in REDUCERS]
    return bool(uses) and len(loops) + len(reduced) == len(uses)


def is_only_told_apart(function: Definition, name: str) -> bool:
    """Whether a body uses a name only in isinstance tests, and in code where a test has decided its class."""
    uses = {id(node) for node in ast.walk(function) if is_name(node, name)}
    asked = {id(node.args[0]) for node in ast.walk(function) if asks_class(node, name)}
    tests = [node for node in ast.walk(function) if isinstance(node, (ast.If, ast.IfExp))]
    bodies = [node.body for node in tests if _requires_class(node.test, name)]
    branches = [each for body in bodies for each in (body if isinstance(body, list) else [body])]
    known = {id(node) for branch in branches for node in ast.walk(branch)} & uses
    return bool(known) and uses <= asked | known


def _requires_class(test: ast.expr, name: str) -> bool:
    """Whether a condition holds only if the name is of a class that it tests."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(_requires_class(value, name) for value in test.values)
    return asks_class(test, name)


def infer_from_uses(function: Definition, name: str, depth: int = 3) -> TypeExpr | None:
    """The type that the uses of a name show: `for t in x: t["a"]` is List[Dict[str, Tensor]]. None for a Tensor."""
    if is_used_as_tensor(function, name):
        return None
    uses = [(node, parent) for node, parent in parents(function).items() if is_name(node, name)]
    shown = [each for node, parent in uses if (each := _type_from_use(node, parent)) is not None]
    if DICT in shown:
        return DICT
    compared = [node for node in ast.walk(function) if isinstance(node, ast.Compare)]
    # `device.type == "cuda"`
    if any(_member(side, name) == "type" for node in compared for side in (node.left, *node.comparators)):
        return DEVICE
    if shown:
        return shown[0]
    elements = list(element_names(function, name))
    if elements and depth:
        found = next((t for e in elements if (t := infer_from_uses(function, e, depth - 1))), None)
        return TypeExpr("list", (found or TENSOR,))
    attributes = [parent.attr for node, parent in uses if isinstance(parent, ast.Attribute) and parent.value is node]
    if not LIST_METHODS.isdisjoint(attributes):
        return TypeExpr("list", (TENSOR,))
    return None


def is_used_as_tensor(function: Definition, name: str) -> bool:
    """Whether the body uses an attribute or method of the name that only a Tensor has, or several indices at once."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            if is_tensors_alone(METHODS, _member(node.func, name)):
                return True
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple) and is_name(node.value, name):
            if any(isinstance(each, ast.Slice) or literal_type(each) in TENSOR_INDICES for each in node.slice.elts):
                return True
        elif is_tensors_alone(ATTRIBUTES, _member(node, name)):
            return True
    return False


def _member(node: ast.AST, name: str) -> str:
    return node.attr if isinstance(node, ast.Attribute) and is_name(node.value, name) else ""


def is_passed_as_device(function: Definition, name: str) -> bool:
    """Whether the name is passed as a device, `device=name` or `x.to(name)`, and never tested for being a str."""
    calls = [node for node in ast.walk(function) if isinstance(node, ast.Call)]
    keywords = (word for call in calls for word in call.keywords if word.arg == "device")
    moved = (call.args[0] for call in calls if called_name(call) == "to" and call.args)
    is_passed = any(is_name(value, name) for value in (*(word.value for word in keywords), *moved))
    return is_passed and not any(asks_class(node, name) for node in ast.walk(function))


def element_names(function: Definition, name: str) -> Iterator[str]:
    """The loop variables that iterate over the elements of a name, also inside `enumerate` and `zip`."""
    for node in ast.walk(function):
        if isinstance(node, (ast.For, ast.comprehension)):
            yield from _bound_to_elements(node.target, node.iter, name)


def _bound_to_elements(target: ast.expr, iterated: ast.expr, name: str) -> Iterator[str]:
    if is_name(iterated, name) and isinstance(target, ast.Name):
        yield target.id
    if not (isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and isinstance(target, ast.Tuple)):
        return
    if iterated.func.id == "enumerate" and len(target.elts) == 2 and iterated.args:
        yield from _bound_to_elements(target.elts[1], iterated.args[0], name)
    if iterated.func.id == "zip" and len(iterated.args) == len(target.elts):
        for part, arg in zip(target.elts, iterated.args, strict=True):
            yield from _bound_to_elements(part, arg, name)


def _type_from_use(node: ast.AST, parent: ast.AST) -> TypeExpr | None:
    """The type of a dict, a number, a flag or a str that one use shows."""
    match parent:
        case ast.Subscript(value, key) if value is node:
            return DICT if literal_type(key) == STR or isinstance(key, ast.JoinedStr) else None
        case ast.Compare(left, [operator, *_], comparators):
            is_test_of_key = node in comparators and isinstance(operator, (ast.In, ast.NotIn))
            if is_test_of_key and literal_type(left) == STR:
                return DICT
            # Not the type of a number, since a Tensor is compared with numbers too.
            sides = [side for side in (left, *comparators) if side is not node]
            lists = [side.elts if isinstance(side, (ast.Tuple, ast.List, ast.Set)) else [side] for side in sides]
            types = (literal_type(value) for values in lists for value in values)
            return next((each for each in types if each is not None and each.name in ("str", "bool")), None)
        case ast.Call(ast.Name("range")):
            return INT
        case ast.Attribute(_, name):
            return DICT if name in DICT_METHODS else STR if name in STR_METHODS else None
        case ast.If(test) | ast.IfExp(test) | ast.While(test) if test is node:
            return BOOL
        case ast.BoolOp() | ast.UnaryOp(ast.Not()):
            return BOOL
    return None


def wanted_locals(owner: Owner, *, every: bool = False) -> Iterator[tuple[str, int]]:
    """The locals to read: locals of unknown type, and, at line 0, locals that are passed to calls, or all others."""
    function = load_function(owner)
    if function is None:
        return
    first: dict[str, ast.Assign] = {}
    for name, node in plain_assignments(function.node):
        first.setdefault(name, node)
    left_open = {name: node.lineno for name, node in first.items() if is_open(node.value)}
    yield from left_open.items()
    nodes = list(ast.walk(function.node))
    stored = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    # The callees see the types of what is passed to functions other than torch's.
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    calls = [call for call in calls if root_name(call.func) not in {"", *FOREIGN, *REDUCERS}]
    passed = [each for call in calls for each in (*call.args, *(keyword.value for keyword in call.keywords))]
    names = {each.id for each in passed if isinstance(each, ast.Name)}
    yield from ((name, 0) for name in sorted(stored - left_open.keys() if every else stored & names))


def is_open(value: ast.expr) -> bool:
    """Whether an initial value does not show the type of later values."""
    if isinstance(value, ast.Constant):
        return value.value is None
    if isinstance(value, (ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.Tuple)):
        return True
    if isinstance(value, ast.BinOp):
        return is_open(value.left) or is_open(value.right)
    if isinstance(value, ast.Call):
        return called_name(value) in MAKERS
    return isinstance(value, ast.IfExp) and (is_open(value.body) or is_open(value.orelse))
