"""Types that the source names: annotations → `TypeExpr`, and the results and floats of torch's operators."""

import ast
import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from pdt_annotate.source.syntax import last_name
from pdt_annotate.source.text import parse_expression
from pdt_annotate.values.types import ANY, NONE, TENSOR, TypeExpr

NAMES: Mapping[str, TypeExpr] = {
    "Tensor": TENSOR,
    **{"None": NONE, "NoneType": NONE, "Any": ANY},
    **{name: TypeExpr(f"torch.{name}") for name in ("device", "dtype", "Generator")},
    **{name: TypeExpr(name) for name in ("int", "float", "bool", "complex", "str")},
}
GENERICS = {"List": "list", "Dict": "dict", "Tuple": "tuple", "Optional": "Optional", "Union": "Union"}
GENERICS |= {name: name for name in ("list", "dict", "tuple")}


def read_annotation(text: str, names: Mapping[str, TypeExpr] = NAMES) -> TypeExpr | None:
    """The type of an annotation's source text; None if it has names other than these, by default TorchScript's."""
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
        generic, parts = "Union", [node.left, node.right]
    elif isinstance(node, ast.Subscript):
        generic = GENERICS.get(last_name(node.value), "")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    else:
        return None
    args = [_read(part, names) for part in parts]
    return TypeExpr(generic, tuple(arg for arg in args if arg)) if generic and None not in args else None


# The parts of the table: functions by their module, the methods and the attributes of a Tensor.
FUNCTIONS, FUNCTIONAL, METHODS, ATTRIBUTES = "torch", "torch.nn.functional", "methods", "attributes"
PYTHONS = frozenset(name for type_ in (str, list, dict, complex) for name in dir(type_))
OTHERS = frozenset(("type", "index", "name", "value", "data"))
"""Members of a `torch.device`, of an enum, of a PackedSequence."""


def type_of_operator(part: str, name: str) -> TypeExpr | None:
    """The result type of an operator; None if torch has no operator of the name, or if it depends on the arguments."""
    annotation = _table()[part].get(name)
    return read_annotation(annotation) if annotation else None


def is_tensors_alone(part: str, name: str) -> bool:
    """Whether Tensor is the only TorchScript type with a method or attribute of the name."""
    return name in _table()[part] and name not in PYTHONS | OTHERS


def float_parameters(dotted: str) -> dict[str, int]:
    """The parameters that take a float, each with its position, of a function, layer or method of torch."""
    found = (each.partition("@") for each in (_table()["floats"].get(dotted) or "").split())
    return {name: int(position) for name, _, position in found}


@cache
def _table() -> Mapping[str, Mapping[str, str | None]]:
    text = resources.files(__package__).joinpath("torch_operators.json").read_text("utf-8")
    found: Mapping[str, Mapping[str, str | None]] = json.loads(text)
    return found
