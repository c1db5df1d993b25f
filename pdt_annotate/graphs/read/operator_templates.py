"""Operators in Python: templates with "{0}" for the first input.

`operators.json` has Python's own operators in a compiled program, such as lists, numbers and strings; an operator of
torch is the function or method of the same name, without arguments that equal a default.
"""

import builtins
import json
import math
from collections.abc import Sequence
from pathlib import Path
from types import MethodDescriptorType
from typing import Any

import torch
import torch.nn.functional as F

from pdt_annotate.graphs.read.plain_nodes import literal

# By operator: the sign between two operands, if other inputs equal their defaults; the template for any overload; and
# the template for other values than tensors, for which torch's own functions are used.
BINARY, PYTHON, OF_VALUES = json.loads(Path(__file__).with_name("operators.json").read_text("utf-8")).values()
VARIADIC = {"prim::ListConstruct": "[{}]", "prim::Print": "print({})", "prim::max": "max({})", "prim::min": "min({})"}
PUBLIC = (("torch", torch, torch._C._VariableFunctions), ("F", F, torch._C._nn))
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
        return str(PYTHON.get(kind) or OF_VALUES[kind])
    if kind in VARIADIC:
        return VARIADIC[kind].format(", ".join(slots))
    if kind == "prim::TupleConstruct":
        return f"({', '.join(slots)}{',' if len(slots) == 1 else ''})" if made.startswith("Tuple[") or not slots else ""
    if kind == "prim::DictConstruct":
        pairs = map(": ".join, zip(slots[::2], slots[1::2], strict=True))
        return f"{{{{{', '.join(pairs)}}}}}"
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
