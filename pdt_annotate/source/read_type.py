"""Annotations as they are written in source → `TypeExpr`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from pdt_annotate.source.syntax import last_name
from pdt_annotate.source.text import parse_expression
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr

NAMES: Mapping[str, TypeExpr] = {
    "Tensor": TENSOR,
    "None": NONE,
    "NoneType": NONE,
    "Any": ANY,
    "device": TypeExpr("torch.device"),
    "dtype": TypeExpr("torch.dtype"),
    "Generator": TypeExpr("torch.Generator"),
    **{name: TypeExpr(name) for name in ("int", "float", "bool", "complex", "str")},
}
GENERICS = {"List": "list", "Dict": "dict", "Tuple": "tuple", "Optional": "Optional", "Union": "Union"}
GENERICS |= {name: name for name in ("list", "dict", "tuple")}


def read_annotation(text: str, names: Mapping[str, TypeExpr] = NAMES) -> TypeExpr | None:
    """The type of an annotation's source text; None where it has other names than these, by default TorchScript's."""
    try:
        return _read(parse_expression(text), names)
    except (SyntaxError, ValueError):
        return None


def _read(node: ast.expr, names: Mapping[str, TypeExpr]) -> TypeExpr | None:
    if isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) else ""
        return NONE if node.value is None else read_annotation(text, names)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return names.get(last_name(node))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _generic("Union", (node.left, node.right), names)
    if isinstance(node, ast.Subscript):
        args = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return _generic(GENERICS.get(last_name(node.value), ""), args, names)
    return None


def _generic(name: str, nodes: Iterable[ast.expr], names: Mapping[str, TypeExpr]) -> TypeExpr | None:
    args = [_read(node, names) for node in nodes]
    if not name or None in args:
        return None
    return TypeExpr(name, tuple(arg for arg in args if arg))
