"""Operators in Python: templates with "{0}" for the first input.

A table has Python's own operators in a compiled program, such as lists, numbers and strings; an operator of torch is
the function or method of the same name, without arguments that equal a default.
"""

import builtins
import math
from collections.abc import Sequence
from types import MethodDescriptorType
from typing import Any

import torch
import torch.nn.functional as F

from pdt_annotate.graphs.read.plain_nodes import literal

BINARY = {  # with two operands; other inputs of the operator must equal their defaults
    "aten::add": "+",
    "aten::sub": "-",
    "aten::mul": "*",
    "aten::div": "/",
    "aten::floordiv": "//",
    "aten::remainder": "%",
    "aten::pow": "**",
    "aten::matmul": "@",
    "aten::eq": "==",
    "aten::ne": "!=",
    "aten::lt": "<",
    "aten::le": "<=",
    "aten::gt": ">",
    "aten::ge": ">=",
    "aten::__and__": "&",
    "aten::__or__": "|",
    "aten::__xor__": "^",
    "aten::__lshift__": "<<",
    "aten::__rshift__": ">>",
    "aten::__is__": "is",
    "aten::__isnot__": "is not",
}

PYTHON = {
    "aten::Bool": "bool({0})",
    "aten::Delete": "del {0}[{1}]",
    "aten::Float": "float({0})",
    "aten::FloatImplicit": "float({0})",
    "aten::Int": "int({0})",
    "aten::IntImplicit": "int({0})",
    "aten::ScalarImplicit": "{0}.item()",
    "aten::__contains__": "{1} in {0}",
    "aten::__derive_index": "{1} + {0} * {2}",
    "aten::__getitem__": "{0}[{1}]",
    "aten::__not__": "not {0}",
    "aten::__range_length": "len(range({0}, {1}, {2}))",
    "aten::_set_item": "{0}[{1}] = {2}",
    "aten::_unwrap_optional": "{0}",
    "aten::clear": "{0}.clear()",
    "aten::dict": "dict({0})",
    "aten::items": "list({0}.items())",
    "aten::keys": "list({0}.keys())",
    "aten::len": "len({0})",
    "aten::list": "list({0})",
    "aten::str": "str({0})",
    "aten::values": "list({0}.values())",
    "aten::warn": "warnings.warn({0}, stacklevel={1})",
    "prim::NumToTensor": "torch.tensor({0})",
    "prim::TupleIndex": "{0}[{1}]",
    "prim::TupleUnpack": "{0}",
    "prim::ListUnpack": "{0}",
    "prim::Uninitialized": "None",
    "prim::abs": "abs({0})",
    "prim::rangelist": "list(range({0}))",
    "prim::shape": "list({0}.shape)",
    "prim::tolist": "{0}.tolist()",
    **{f"prim::{name}": f"{{0}}.{name}" for name in ("data", "device", "dtype", "grad", "itemsize", "layout", "type")},
    **{f"prim::{name}": f"{{0}}.{name}" for name in ("is_cuda", "is_nested", "requires_grad")},
}
"""For any overload."""

OF_VALUES = {"aten::neg": "-{0}", "aten::slice": "{0}[{1}:{2}:{3}]"}
"""For other values than tensors, for which torch's own functions are used."""

VARIADIC = {
    "prim::ListConstruct": ("[", "]"),
    "prim::Print": ("print(", ")"),
    "prim::max": ("max(", ")"),
    "prim::min": ("min(", ")"),
}

_C: Any = torch._C
PUBLIC = (("torch", torch, _C._VariableFunctions), ("F", F, _C._nn))
"""Modules of torch, each with the module that has its functions as operators."""
UNKNOWN = object()  # an input that is no constant


def spell_node(kind: str, schema: Any, types: Sequence[str], given: Sequence[Any], made: str) -> str:
    """A node of a compiled program in Python; "" if it cannot be expressed.

    `types` are those of its inputs, as annotations; `given` the constants among these, `UNKNOWN` for others; `made` is
    the type of its first output.
    """
    slots = [f"{{{index}}}" for index in range(len(types))]
    others = zip(list(schema.arguments)[2:] if schema is not None else (), given[2:], strict=True)
    if kind in BINARY and all(_equals(argument, value) for argument, value in others):
        return f"{slots[0]} {BINARY[kind]} {slots[1]}"
    if kind in PYTHON or (kind in OF_VALUES and types[0] != "Tensor"):
        return PYTHON.get(kind) or OF_VALUES[kind]
    if kind in VARIADIC:
        opened, closed = VARIADIC[kind]
        return f"{opened}{', '.join(slots)}{closed}"
    if kind == "prim::TupleConstruct":
        return f"({', '.join(slots)}{',' if len(slots) == 1 else ''})" if made.startswith("Tuple[") or not slots else ""
    if kind == "prim::DictConstruct":
        pairs = zip(slots[::2], slots[1::2], strict=True)
        return f"{{{{{', '.join(f'{key}: {value}' for key, value in pairs)}}}}}"
    if kind == "prim::RaiseException":
        # The compiler keeps the names of built-in classes.
        named = given[1] if len(given) > 1 and isinstance(given[1], str) else ""
        raised = named.removeprefix("builtins.") if named.startswith("builtins.") else "RuntimeError"
        return f"raise {raised}({slots[0]})"
    if kind == "aten::percentFormat":
        return f"{slots[0]} % ({''.join(f'{slot}, ' for slot in slots[1:])})"
    if kind == "aten::size":
        return "list({0}.size())" if len(slots) == 1 else "{0}.size({1})"
    return _of_schema(kind, schema, slots, types, given) if schema is not None else ""


def _equals(argument: Any, value: Any) -> bool:
    is_known = argument.has_default_value() and value is not UNKNOWN
    return bool(is_known and literal(argument.default_value) == literal(value))


def _of_schema(kind: str, schema: Any, slots: list[str], types: Sequence[str], given: Sequence[Any]) -> str:
    space, _, name = kind.partition("::")
    if not any("Tensor" in str(each.type) for each in (*schema.arguments, *schema.returns)) and space == "aten":
        return _of_values(name, slots, types)
    indexed = any("Optional[Tensor]]" in str(each.type) for each in schema.arguments)
    # The public function with these arguments, if torch has one.
    spaces = PUBLIC if space == "aten" and not indexed else ()
    pairs = ((module, getattr(holder, name, None), getattr(own, name, None)) for module, holder, own in spaces)
    function = next((f"{module}.{name}" for module, ours, theirs in pairs if ours is not None and ours is theirs), "")
    named, arguments = False, list[str]()
    for argument, slot, value in zip(schema.arguments, slots, given, strict=True):
        is_default = _equals(argument, value)
        named = named or is_default or argument.kwarg_only
        if not is_default:
            arguments.append(f"{argument.name}={slot}" if named else slot)
    if function:
        return f"{function}({', '.join(arguments)})"
    # Functions that torch writes in Python under such a name take other arguments; so do the methods that index.
    its_own = isinstance(getattr(torch.Tensor, name, None), MethodDescriptorType) and not indexed
    if its_own and space == "aten" and types and types[0] == "Tensor":
        return f"{arguments[0]}.{name}({', '.join(arguments[1:])})"
    return f"torch.ops.{space}.{name}({', '.join(arguments)})"


def _of_values(name: str, slots: list[str], types: Sequence[str]) -> str:
    """An operator on numbers and strings alone."""
    first = "".join(types[:1]).partition("[")[0]
    owner = {"str": str, "List": list, "Dict": dict}.get(first)
    if owner is not None and hasattr(owner, name):
        return f"{slots[0]}.{name}({', '.join(slots[1:])})"
    if first == "List" and hasattr(builtins, name):
        return f"{name}({', '.join(slots)})"
    module = next((each for each in (math, torch) if hasattr(each, name)), None)
    return f"{module.__name__}.{name}({', '.join(slots)})" if module else ""
