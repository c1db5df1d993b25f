"""Expressions with another value because of a type: `len`, `is None`, `and` and `or`, `isinstance`, `==`."""

import ast
import re
from collections.abc import Iterator

from pdt_annotate.source.syntax import conditions, is_call_of, is_name, last_name, passed_argument
from pdt_annotate.values.verdicts import Trap
from pdt_annotate.verify.traps.compiled_view import Compiled, View
from pdt_annotate.verify.traps.graph_facts import element_kind, kind_of, operator

LENGTH, NONE, CHOICE, CLASS, EQUAL = "PDT110", "PDT111", "PDT112", "PDT113", "PDT114"
NARROW = "narrow the type first: `assert x is not None`, `isinstance(x, str)` or `torch.jit.isinstance(x, List[int])`"
WRITE = "write `a if a else b` for `a or b`, and `b if a else a` for `a and b`"
GRADIENT_LOST = "and its gradient is lost; annotate it as Tensor, and pass numbers as `torch.tensor(…)`"
DEVICES = "a device is never equal to a string in Python, and in TorchScript it may be; compare `.device.type`"

TRUTH = {"BoolType", "TensorType"}
WORD = re.compile(r"\w+")
NUMBERS = frozenset({"IntType", "FloatType", "BoolType", "ComplexType"})


def find(view: View) -> Iterator[Trap]:
    for function in view.functions:
        # The compiler puts a value that is no list, dict, string or tensor to it into a list of one and counts that.
        for node in function.nodes:
            if operator(node) != "aten::len.t":
                continue
            made = node.inputsAt(0).node()
            held = list(made.inputs())
            is_list = made.kind() == "prim::ListConstruct" and len(held) == 1
            if is_list and element_kind(made.output()) == "AnyType":
                always = f"`len` of a value of type {held[0].type().annotation_str} is always 1 in TorchScript"
                yield function.trap(LENGTH, f"{always}; {NARROW}", node)
        truths = {id(each) for node in function.parts for each in _taken_for_truth(node)}
        for node in function.parts:
            if isinstance(node, ast.Compare) and len(node.ops) == 1:
                yield from _none_tests(function, node)
                yield from _equals(view, function, node)
            elif isinstance(node, ast.BoolOp) and id(node) not in truths:
                kinds = {kind for each in node.values for kind in _kinds_of_operand(function, each)}
                if kinds - TRUTH - {"AnyType"}:
                    operand = f"`{ast.unparse(node)}` is one of its operands in Python"
                    yield function.trap(CHOICE, f"{operand}, and True or False in TorchScript; {WRITE}", node)
            elif is_call_of(node, "isinstance") and len(node.args) == 2:
                yield from _class_tests(function, *node.args)


def _none_tests(function: Compiled, node: ast.Compare) -> Iterator[Trap]:
    right = node.comparators[0]
    if not (isinstance(node.ops[0], ast.Is | ast.IsNot) and isinstance(right, ast.Constant) and right.value is None):
        return
    kinds = function.kinds_at(node.left)
    # The compiler folds the test of an element of a list or dict of Any, so that element has no kind.
    held = function.values_at(node.left.value) if isinstance(node.left, ast.Subscript) else ()
    if "AnyType" in kinds or any(each.type().annotation_str.endswith((", Any]", "List[Any]")) for each in held):
        never = f"`{ast.unparse(node.left)}` has the type Any, which is never None in TorchScript"
        yield function.trap(NONE, f"{never}; annotate it as Optional", node)
        return
    name = node.left.id if isinstance(node.left, ast.Name) else ""
    parameter = function.definition.parameter(name) if function.definition else None
    default = parameter.value if parameter else None
    if kinds == {"TensorType"} and isinstance(default, ast.Constant) and default.value is None:
        never = f"`{ast.unparse(node.left)}` is a Tensor in TorchScript and never None, although its default is None"
        yield function.trap(NONE, f"{never}; annotate it as Optional", node)


def _taken_for_truth(node: ast.AST) -> Iterator[ast.expr]:
    """The parts of a node that are used for their truth alone, down through `and` and `or`."""
    pending = list(conditions(node)) if not isinstance(node, ast.BoolOp) else []
    if isinstance(node, ast.comprehension):
        pending += node.ifs
    if is_call_of(node, "bool"):
        pending += node.args
    while pending:
        part = pending.pop()
        yield part
        if isinstance(part, ast.BoolOp):
            pending += part.values


def _kinds_of_operand(function: Compiled, node: ast.expr) -> frozenset[str]:
    if isinstance(node, ast.Constant):
        is_value = isinstance(node.value, int | float | str) and not isinstance(node.value, bool)
        return frozenset({"IntType"} if is_value else ())
    if isinstance(node, ast.Name):
        return function.kinds_at(node)
    nodes = function.at.get(function.place(node), ())
    casts = (each for each in nodes if operator(each) in ("aten::Bool.int", "aten::Bool.float"))
    return frozenset(kind_of(each.inputsAt(0)) for each in casts)


def _class_tests(function: Compiled, tested: ast.expr, classes: ast.expr) -> Iterator[Trap]:
    names = {last_name(part) for part in ast.walk(classes) if isinstance(part, ast.Name | ast.Attribute)}
    kinds = function.kinds_at(tested)
    text = ast.unparse(tested)
    may_be_bool = any("bool" in WORD.findall(each.type().annotation_str) for each in function.values_at(tested))
    if may_be_bool and "int" in names and "bool" not in names:
        differs = f"a bool is an int in Python but not in TorchScript, so `isinstance({text}, int)` differs"
        yield function.trap(CLASS, f"{differs}; test for `(bool, int)`", tested)
        return
    if "tuple" in names and not names & {"list", "Sequence"} and _is_shape(tested):
        message = f"`{text}` is a tuple in Python and a List[int] in TorchScript; test for `(list, tuple)`"
        yield function.trap(CLASS, message, tested)
        return
    parameters = function.definition.parameters if function.definition else ()
    is_parameter = any(is_name(tested, each.name) for each in parameters)
    if "Tensor" in names and function.entry and kinds and kinds <= NUMBERS and is_parameter:
        converted = f"a Tensor that is passed for `{text}` is converted to a number before the scripted code runs"
        yield function.trap(CLASS, f"{converted}, {GRADIENT_LOST}", tested)


def _is_shape(node: ast.expr) -> bool:
    """Whether an expression is `x.shape` or `x.size()`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "size" and not node.args and not node.keywords
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def _equals(view: View, function: Compiled, node: ast.Compare) -> Iterator[Trap]:
    if not isinstance(node.ops[0], ast.Eq | ast.NotEq):
        return
    both = (node.left, node.comparators[0])
    if {_sequence(view, function, each) for each in both} == {"list", "tuple"}:
        word = "shape" if any(map(_is_shape, both)) else "tuple"
        message = f"a {word} is never equal to a list in Python, and in TorchScript it may be; compare with a tuple"
        yield function.trap(EQUAL, message, node)
        return
    is_device = any(isinstance(each, ast.Attribute) and each.attr == "device" for each in both)
    if is_device and any(isinstance(each, ast.Constant) and isinstance(each.value, str) for each in both):
        yield function.trap(EQUAL, DEVICES, node)


def _sequence(view: View, function: Compiled, node: ast.expr, depth: int = 4) -> str:
    """Whether an expression is a list or a tuple in Python, as far as the source says: a shape is a tuple."""
    if isinstance(node, ast.List | ast.ListComp) or is_call_of(node, "list") or is_call_of(node, "sorted"):
        return "list"
    if isinstance(node, ast.Tuple) or _is_shape(node) or is_call_of(node, "tuple"):
        return "tuple"
    held: list[ast.expr] = []
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        held = [node.value]
    elif isinstance(node, ast.BinOp):
        held = [node.left]
    elif isinstance(node, ast.IfExp):
        held = [node.body, node.orelse]
    elif isinstance(node, ast.Name):
        held = _held_by(view, function, node.id)
    found = {_sequence(view, function, each, depth - 1) for each in held} if depth else set()
    return found.pop() if len(found) == 1 else ""


def _held_by(view: View, function: Compiled, name: str) -> list[ast.expr]:
    """The values of a variable: the values assigned to it, otherwise the arguments of other compiled functions."""
    definition, assigns = function.definition, (each for each in function.parts if isinstance(each, ast.Assign))
    assigned = [each.value for each in assigns if is_name(each.targets[0], name)]
    if definition is None or definition.parameter(name) is None:
        return assigned
    if function.entry or assigned:
        return []
    calls = (call for each in view.functions for call in each.calls.get(function.function.__name__, ()))
    return [passed for call in calls if (passed := passed_argument(call, definition, name)) is not None]
