"""Values as TorchScript spells them, and their types: what the source of a merged module is made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pdt_annotate.captures.flattened import is_tensor
from pdt_annotate.values.errors import TraceError

SCALARS = (bool, int, float, str)
ONE_TYPE = "a dict or list of TorchScript holds values of one type; return a tuple"


@dataclass(frozen=True)
class Expressed:
    """An expression in the place of a value, and its type."""

    text: str
    type: str = "Tensor"


def spell(value: Any, where: str) -> str:
    """The expression that makes a value.

    Raises:
        TraceError: TorchScript has none.
    """
    if isinstance(value, Expressed):
        return value.text
    if value is None or type(value) in SCALARS:
        return repr(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {spell(each, where)}" for key, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(spell(each, where) for each in value) + "]"
    if isinstance(value, tuple):
        return "(" + "".join(f"{spell(each, where)}, " for each in value) + ")"
    raise TraceError(f"{where} holds a {type(value).__qualname__}, which TorchScript cannot make")


def type_of(value: Any, where: str) -> str:
    """The type of a value, as TorchScript spells it.

    Raises:
        TraceError: it has none.
    """
    if isinstance(value, Expressed):
        return value.type
    if value is None or is_tensor(value):
        return "None" if value is None else "Tensor"
    if type(value) in SCALARS:
        return type(value).__name__
    if isinstance(value, dict) and value:
        return f"Dict[{_only(value, where)}, {_only(value.values(), where)}]"
    if isinstance(value, list) and value:
        return f"List[{_only(value, where)}]"
    if isinstance(value, tuple) and value:
        return f"Tuple[{', '.join(type_of(each, where) for each in value)}]"
    raise TraceError(f"{where} holds {_described(value)}, for which TorchScript has no type")


def _described(value: Any) -> str:
    return f"an empty {type(value).__name__}" if value in ({}, [], ()) else f"a {type(value).__qualname__}"


def _only(values: Iterable[Any], where: str) -> str:
    types = sorted({type_of(each, where) for each in values})
    if len(types) > 1:
        raise TraceError(f"{where} holds {' and '.join(types)} side by side", hint=ONE_TYPE)
    return types[0]
