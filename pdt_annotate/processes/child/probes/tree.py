"""The arguments of a call as a tree: what lies where, of which type it is compiled, and copies with other parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch

from pdt_annotate.values.live import is_a
from pdt_annotate.values.runs import Call

Path = tuple[Any, ...]
"""Keys and indices from the call down: ("args", 0, "mask")."""

PLAIN = (list, tuple, dict)


@dataclass(frozen=True)
class Spot:
    """A value somewhere in a call, with the compiler's type for it where that is known."""

    path: Path
    value: Any
    type: Any = None


def spots_of(call: Call, schema: Any) -> Iterator[Spot]:
    """All values of a call, outer ones first; then what it leaves to defaults that are no tensors."""
    arguments = [each for each in schema.arguments if each.name != "self"] if schema is not None else []
    by_name = {each.name: each.type for each in arguments}
    for index, value in enumerate(call.args):
        known = arguments[index].type if index < len(arguments) else None
        yield from _walk(Spot(("args", index), value, known))
    for name, value in call.kwargs.items():
        yield from _walk(Spot(("kwargs", name), value, by_name.get(name)))
    for argument in arguments[len(call.args) :]:
        if argument.name not in call.kwargs and argument.has_default_value():
            yield Spot(("kwargs", argument.name), argument.default_value, argument.type)


def _walk(spot: Spot) -> Iterator[Spot]:
    yield spot
    for key, value in children(spot.value):
        yield from _walk(Spot((*spot.path, key), value, _type_inside(spot.type, key)))


def children(value: Any) -> Iterator[tuple[Any, Any]]:
    """What a container holds, by index or key; of what is no plain container, nothing."""
    if is_a(value, dict):
        yield from value.items()
    elif is_a(value, list, tuple) and not is_a(value, torch.Size):
        yield from enumerate(value)


def rebuilt(value: Any, parts: list[Any]) -> Any:
    """A container of the same class with other parts, in the order of `children`."""
    if is_a(value, dict):
        return dict(zip(value, parts, strict=True))
    return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)


def changed(call: Call, path: Path, new: Any) -> Call:
    """A call with another value at a path; a keyword that it has not is added."""
    field, key, *rest = path
    if field == "args":
        return replace(call, args=_changed(call.args, (key, *rest), new))
    return replace(call, kwargs={**call.kwargs, key: _changed(call.kwargs[key], rest, new) if rest else new})


def _changed(value: Any, path: Any, new: Any) -> Any:
    if not path:
        return new
    return rebuilt(value, [_changed(v, path[1:], new) if k == path[0] else v for k, v in children(value)])


def mapped(function: Callable[[Any], Any], call: Call) -> Call:
    """A call with a function applied to whatever is no plain container."""

    def apply(value: Any) -> Any:
        found = [part for _, part in children(value)]
        return rebuilt(value, [apply(part) for part in found]) if found else function(value)

    args = tuple(map(apply, call.args))
    return replace(call, args=args, kwargs={name: apply(value) for name, value in call.kwargs.items()})


def leaves(call: Call) -> list[Any]:
    """Whatever is no plain container, in the order of `mapped`."""
    found: list[Any] = []
    mapped(found.append, call)
    return found


def without_optional(type_: Any) -> Any:
    return type_.getElementType() if is_a(type_, torch.OptionalType) else type_


def _type_inside(type_: Any, key: Any) -> Any:
    type_ = without_optional(type_)
    if is_a(type_, torch.ListType):
        return type_.getElementType()
    if is_a(type_, torch.DictType):
        return type_.getValueType()
    return type_.elements()[key] if is_a(type_, torch.TupleType) else None
