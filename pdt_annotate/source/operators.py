"""torch's operators and what they give, by name: the table that `make operators` takes from torch's own schemas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources

from pdt_annotate.source.read_type import read_annotation
from pdt_annotate.values.types import TypeExpr

FUNCTIONS, FUNCTIONAL, METHODS, ATTRIBUTES = "torch", "torch.nn.functional", "methods", "attributes"
"""The parts of the table: functions by their module, the methods and the attributes of a Tensor."""

PYTHONS = frozenset(name for type_ in (str, list, dict, complex) for name in dir(type_))
OTHERS = frozenset(("type", "index", "name", "value", "data"))
"""Members of a `torch.device`, of an enum, of a PackedSequence."""


def type_of_operator(part: str, name: str) -> TypeExpr | None:
    """What an operator gives; None where torch has none of the name, or where its arguments decide."""
    annotation = _table()[part].get(name)
    return read_annotation(annotation) if annotation else None


def is_tensors_alone(part: str, name: str) -> bool:
    """Whether, of the types that TorchScript has, a Tensor alone has a method or attribute of the name."""
    return name in _table()[part] and name not in PYTHONS | OTHERS


@cache
def _table() -> Mapping[str, Mapping[str, str | None]]:
    text = resources.files(__package__).joinpath("torch_operators.json").read_text("utf-8")
    found: Mapping[str, Mapping[str, str | None]] = json.loads(text)
    return found
