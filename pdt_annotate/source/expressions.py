"""The type of an expression, as far as the source shows it: `len(x)` is an int, `boxes[0]` an element of `boxes`.

Names, attributes and calls of the project are looked up in a scope. The type is None if the source does not show it.
"""

import ast
import contextlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from pdt_annotate.source.definitions import literal_type
from pdt_annotate.source.read_type import ATTRIBUTES, FUNCTIONAL, FUNCTIONS, METHODS, type_of_operator
from pdt_annotate.source.syntax import root_name
from pdt_annotate.source.uses import LIBRARIES
from pdt_annotate.values.types import NONE, TENSOR, TypeExpr, union

INT, FLOAT, BOOL, STR = (TypeExpr(name) for name in ("int", "float", "bool", "str"))
UNKNOWN = TypeExpr("?")
SIZES = TypeExpr("list", (INT,))
NUMBERS = (BOOL, INT, FLOAT)  # from the narrowest to the widest: arithmetic returns the wider type of its sides

BUILTINS: Mapping[str, TypeExpr] = {
    **dict.fromkeys(("len", "int", "ord"), INT),
    **dict.fromkeys(("bool", "isinstance", "hasattr", "any", "all", "callable"), BOOL),
    **dict.fromkeys(("str", "repr", "chr"), STR),
    "float": FLOAT,
    "range": SIZES,
}
OF_STRINGS = ("lower", "upper", "strip", "replace", "format", "join")
MODULES: Mapping[str, str] = {"torch": FUNCTIONS, "F": FUNCTIONAL}
"""Torch's modules of functions, by the names under which sources know them."""
MATH_CONSTANTS = ("inf", "nan", "pi", "e")
DTYPE = re.compile(r"(float|complex|bfloat|q?u?int)\d+\w*|float|double|half|long|short|int|bool|cfloat|cdouble")


class ExpressionScope(Protocol):
    """The scope of an expression: the types of its names, of the receiver's attributes, and of the project's calls."""

    def type_of_name(self, name: str) -> TypeExpr | None: ...

    def type_of_attribute(self, node: ast.Attribute) -> TypeExpr | None:
        return None

    def type_of_call(self, node: ast.Call) -> TypeExpr | None:
        return None


def type_of_expression(node: ast.expr, scope: ExpressionScope) -> TypeExpr | None:
    """The type of an expression; None if the source does not show it."""
    try:
        found = _Reader(scope, {}).read(node)
    except RecursionError:  # an expression of hundreds of terms
        return None
    return None if found is None or UNKNOWN.name in found.names else found


def bind(target: ast.expr, type_: TypeExpr) -> Iterator[tuple[str, TypeExpr]]:
    if isinstance(target, ast.Name):
        yield target.id, type_
    elif isinstance(target, (ast.Tuple, ast.List)):
        for index, part in enumerate(target.elts):
            yield from bind(part, element(type_, index) or UNKNOWN)


def element(type_: TypeExpr | None, index: int | None = None) -> TypeExpr | None:
    """The type of the items in a loop over a value of this type, or of the item at an index."""
    if type_ is None:
        return None
    if type_ in (TENSOR, STR):
        return type_
    if type_.name in ("list", "dict") and type_.args:
        return type_.args[0]
    if type_.name == "tuple" and index is not None:
        return type_.args[index] if -len(type_.args) <= index < len(type_.args) else None
    if type_.name == "tuple" and type_.args:
        return union(*type_.args) if UNKNOWN not in type_.args else UNKNOWN
    return None


def constant_of_module(node: ast.Attribute) -> TypeExpr | None:
    """The type of `math.inf`, `torch.float32` and similar constants."""
    if not isinstance(node.value, ast.Name):
        return None
    if node.attr in MATH_CONSTANTS and node.value.id in LIBRARIES:
        return FLOAT
    is_dtype = node.value.id == "torch" and DTYPE.fullmatch(node.attr) is not None
    return TypeExpr("torch.dtype") if is_dtype else None


@dataclass(frozen=True)
class _Reader:
    """Reads expressions of one scope; `bound` are the names of comprehensions around an expression."""

    scope: ExpressionScope
    bound: Mapping[str, TypeExpr]

    def read(self, node: ast.expr) -> TypeExpr | None:
        if (literal := literal_type(node)) is not None:
            return literal
        match node:
            case ast.Name():
                return self.bound.get(node.id) or self.scope.type_of_name(node.id)
            case ast.JoinedStr():
                return STR
            case ast.UnaryOp():
                return BOOL if isinstance(node.op, ast.Not) else self.read(node.operand)
            case ast.Compare():
                by_value = not isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn))
                sides = (self.read(side) for side in (node.left, *node.comparators))
                return TENSOR if by_value and TENSOR in sides else BOOL
            case ast.BoolOp():
                known = {self.read(value) for value in node.values} - {NONE}
                return known.pop() if len(known) == 1 else None
            case ast.IfExp():
                types = (self.read(node.body), self.read(node.orelse))
                return union(*filter(None, types)) if None not in types else None
            case ast.List():
                return TypeExpr("list", (union(*map(self._inner, node.elts)),) if node.elts else ())
            case ast.Tuple():
                return TypeExpr("tuple", tuple(map(self._inner, node.elts)))
            case ast.Dict(keys=[]):
                return TypeExpr("dict")
            case ast.Dict() if None not in node.keys:
                keys = union(*(self._inner(key) for key in node.keys if key is not None))
                return TypeExpr("dict", (keys, union(*map(self._inner, node.values))))
            case ast.ListComp() | ast.GeneratorExp():
                reader = self
                for part in node.generators:
                    item = element(reader.read(part.iter))
                    reader = replace(reader, bound={**reader.bound, **dict(bind(part.target, item or UNKNOWN))})
                return TypeExpr("list", (reader._inner(node.elt),))
            case ast.Attribute():
                if found := constant_of_module(node) or self.scope.type_of_attribute(node):
                    return found
                is_tensors = node.attr == "shape" or self.read(node.value) == TENSOR
                return type_of_operator(ATTRIBUTES, node.attr) if is_tensors else None
            case ast.Subscript():
                return self._read_item(node)
            case ast.BinOp():
                return self._read_arithmetic(node)
            case ast.Call(func=ast.Name(id=name)):
                return self._read_builtin(name, node) or self.scope.type_of_call(node)
            case ast.Call(func=ast.Attribute() as method):
                is_tensors = root_name(method) in LIBRARIES or self.read(method.value) == TENSOR
                found = self.scope.type_of_call(node) if not is_tensors else None
                return found or self._read_method(method, node)
        return None

    def _inner(self, node: ast.expr) -> TypeExpr:
        return self.read(node) or UNKNOWN

    def _read_item(self, node: ast.Subscript) -> TypeExpr | None:
        base = self.read(node.value)
        if base is None or base == TENSOR or (isinstance(node.slice, ast.Slice) and base.name in ("list", "str")):
            return base
        if base.name == "dict":
            return base.args[1] if base.args else None
        if base.name == "tuple":
            with contextlib.suppress(ValueError):
                index = ast.literal_eval(node.slice)
                return element(base, index) if isinstance(index, int) else None
            return None
        return element(base)

    def _read_arithmetic(self, node: ast.BinOp) -> TypeExpr | None:
        left, right = self.read(node.left), self.read(node.right)
        if TENSOR in (left, right):
            return TENSOR
        if left in NUMBERS and right in NUMBERS and left and right:
            if isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
                return max(left, right, key=NUMBERS.index)
            return FLOAT if isinstance(node.op, (ast.Div, ast.Pow)) else max(INT, left, right, key=NUMBERS.index)
        if left is not None and left.name in ("list", "str") and isinstance(node.op, (ast.Add, ast.Mult, ast.Mod)):
            return left
        return None

    def _read_builtin(self, name: str, node: ast.Call) -> TypeExpr | None:
        if name in BUILTINS:
            return BUILTINS[name]
        items = [element(self.read(arg)) or UNKNOWN for arg in node.args]
        if name in ("list", "sorted", "reversed") and len(items) == 1:
            return TypeExpr("list", (items[0],))
        if name == "enumerate" and items:
            return TypeExpr("list", (TypeExpr("tuple", (INT, items[0])),))
        if name == "zip":
            return TypeExpr("list", (TypeExpr("tuple", tuple(items)),))
        if name in ("min", "max", "abs") and node.args:
            types = {self.read(arg) for arg in node.args} if len(node.args) > 1 or name == "abs" else set(items)
            return types.pop() if len(types) == 1 and types <= {*NUMBERS, TENSOR} else None
        return None

    def _read_method(self, function: ast.Attribute, node: ast.Call) -> TypeExpr | None:
        if isinstance(function.value, ast.Name) and function.value.id in MODULES:
            return type_of_operator(MODULES[function.value.id], function.attr)
        if root_name(function) in LIBRARIES:
            return None
        base = self.read(function.value)
        if function.attr == "size" and base in (TENSOR, None):
            return INT if node.args else SIZES
        if base == TENSOR:
            return type_of_operator(METHODS, function.attr)
        if base is not None and base.name == "dict" and base.args:
            key, value = base.args
            pairs = {"keys": key, "values": value, "items": TypeExpr("tuple", base.args)}
            return TypeExpr("list", (pairs[function.attr],)) if function.attr in pairs else None
        return STR if base == STR and function.attr in OF_STRINGS else None
