"""The arguments of calls: their sizes, the values that are equal in all calls, and the differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pdt_annotate.values.exports import Axis, CallSeen, NestSeen, Path, Seen, TensorSeen


def spelled_path(path: Path) -> str:
    """
    >>> spelled_path(("states", 0, "last", ".hidden"))
    "states[0]['last'].hidden"
    """
    keys = (key if isinstance(key, str) and key.startswith(".") else f"[{key!r}]" for key in path[1:])
    return f"{path[0]}{''.join(keys)}"


def leaves(arguments: Mapping[Any, Seen], above: Path = ()) -> Iterator[tuple[Path, Seen]]:
    for key, seen in arguments.items():
        if isinstance(seen, NestSeen):
            yield from leaves(dict(zip(seen.keys, seen.parts, strict=True)), (*above, key))
        else:
            yield (*above, key), seen


def sizes_of(call: CallSeen) -> dict[Axis, int]:
    tensors = ((path, seen) for path, seen in leaves(call.arguments) if isinstance(seen, TensorSeen))
    return {(path, axis): size for path, seen in tensors for axis, size in enumerate(seen.shape)}


def kind_of(call: CallSeen, fixed: frozenset[Axis]) -> tuple[object, ...]:
    """The parts of arguments that are equal in all calls of one program, except sizes on dynamic axes."""
    return (
        call.mode,
        frozenset((name, _kind(seen)) for name, seen in call.arguments.items()),
        frozenset((axis, size) for axis, size in sizes_of(call).items() if axis in fixed),
    )


def _kind(seen: Seen) -> object:
    if isinstance(seen, NestSeen):
        return seen.kind, seen.keys, tuple(map(_kind, seen.parts))
    return (seen.kind, len(seen.shape)) if isinstance(seen, TensorSeen) else seen.text


def difference(these: Mapping[str, Seen], those: Mapping[str, Seen]) -> str:
    """The first difference between two sets of arguments, in words; "" if only sizes differ.

    >>> difference({"mask": TensorSeen((3,), "torch.bool tensor")}, {"mask": TensorSeen((2, 3), "torch.bool tensor")})
    '`mask` is a 1-d torch.bool tensor, not a 2-d torch.bool tensor'
    """
    for name in (*those, *(name for name in these if name not in those)):
        if name not in these:
            return f"`{name}` is not passed"
        if name not in those:
            return f"`{name}` is passed"
        found = _difference((name,), these[name], those[name])
        if found:
            return found
    return ""


def _difference(path: Path, this: Seen, that: Seen) -> str:
    if isinstance(this, NestSeen) and isinstance(that, NestSeen) and (this.kind, this.keys) == (that.kind, that.keys):
        parts = zip(this.keys, this.parts, that.parts, strict=True)
        return next(filter(None, (_difference((*path, key), a, b) for key, a, b in parts)), "")
    here, there = _in_words(this), _in_words(that)
    return f"`{spelled_path(path)}` is {here}, not {there}" if here != there else ""


def _in_words(seen: Seen) -> str:
    if isinstance(seen, TensorSeen):
        return f"a {len(seen.shape)}-d {seen.kind}"
    if isinstance(seen, NestSeen):
        return f"a {seen.kind} of {', '.join(map(str, seen.keys)) if seen.kind == 'dict' else len(seen.parts)}"
    return seen.text
